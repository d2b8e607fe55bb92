#include <algorithm>
#include <utility>

#include "warplens/base/text.h"
#include "warplens/base/timing.h"
#include "warplens/run/sass/checks/checker.h"
#include "warplens/run/sass/code/ready_code.h"
#include "warplens/run/sass/control/grid_group.h"
#include "warplens/run/sass/counting/footprint.h"
#include "warplens/run/sass/decoder.h"
#include "warplens/run/sass/execution/run_blocks.h"
#include "warplens/run/sass/execution/run_cluster.h"
#include "warplens/run/sass/kept.h"
#include "warplens/run/sass/launch_state.h"
#include "warplens/run/sass/run.h"
#include "warplens/run/sass/run_warp.h"
#include "warplens/run/sass/worker.h"

namespace warplens::simt::sass_machine {
namespace {

/// Of blocks that all began at once.
void take_touches(Cluster& cluster) {
  for (Block& block : cluster.blocks) {
    block.run->footprint->reuse().take(block.touches.watched, 0);
    block.touches.watched.clear();
  }
}

/// All blocks side by side on one CPU thread, turn by turn: they may wait for each other.
void run_resident(Run& run, const MachineLaunch& launch, MachineCounts* out) {
  Worker all(run);
  for (uint64_t i = 0; i < out->blocks / blocks_of(launch.cluster); ++i) {
    Cluster& cluster = *all.clusters.emplace_back(std::make_unique<Cluster>());
    prepare_cluster(cluster, run, &all.counts);
    place_cluster(cluster, i, launch);
    start_cluster(cluster);
  }
  for (bool progress = true; progress && out->stop.kind == Stop::Kind::kNone;) {
    progress = false;
    for (auto& cluster : all.clusters) {
      progress |= step_cluster(*cluster, &cluster->turns, &out->stop);
      take_touches(*cluster);
    }
    for (auto& cluster : all.clusters) progress = progress || go_without_others(*cluster);
    progress = progress || open_grid_barrier(run, all.clusters);
    if (const std::string why = interruption(run); !why.empty())
      out->stop = {.kind = Stop::Kind::kTimeout, .reason = why};
  }
  out->polled = true;  // at the grid's barrier
  sum_tally(run.ops, &all.counts);
  for (const auto& cluster : all.clusters) {
    for (const Block& block : cluster->blocks) {
      const bool waits = std::any_of(block.warps.begin(), block.warps.end(), [](const Warp& w) { return w.live != 0; });
      if (!waits) ++all.ended_blocks;
      if (waits && out->stop.kind == Stop::Kind::kNone) out->stop = waiting(*cluster);
      out->output += block.output;
      add_block_time(block, &all);
    }
  }
  AtomicTally atomics;
  add_worker(all, &atomics, out);
  out->hottest_atomic_cycles = atomics.busiest_cycles();
}

/// What blocks share, but for how memory is followed.
Run run_of(const Program& program, const MachineLaunch& launch, const ReadyCode& code) {
  Run run;
  run.program = &program;
  run.launch = &launch;
  if (launch.timeout_s > 0)
    run.deadline_ns = monotonic_ns() + static_cast<int64_t>(std::min(launch.timeout_s, 1e9) * 1e9);
  run.local_bytes = local_bytes_of(program);
  run.constants = &code.state.constants;
  run.allocations = code.allocations;
  run.shared_bytes =
      std::max(program.static_shared_bytes, program.reserved_shared_bytes()) + launch.dynamic_shared_bytes;
  if (launch.lets_padding) {  // shared memory comes in whole units, as on a GPU
    const gpu::Arch& arch = device_of(launch, program.architecture).architecture();
    const uint32_t reserved = program.reserved_shared_bytes();
    run.shared_bytes =
        reserved + static_cast<uint32_t>(simt::allocated_shared_bytes(arch, run.shared_bytes - reserved));
  }
  if (program.uses_reserved_shared && program.reserved_shared_bytes() == 0)
    run.shared_bytes = shared_bytes_in_all(program, launch);
  run.ops = code.ops;
  run.schedules = code.schedules;
  run.accesses = code.accesses;
  const bool watches = std::ranges::count(launch.watch, true) != 0;  // requests: handlers see them all
  run.translation = launch.translated && !watches ? code.translation.get() : nullptr;
  run.counted = code.counted;
  run.waits = launch.cooperative || blocks_of(launch.cluster) > 1 || code.waits_in_code;
  const Layout& layout = code.decoder->layout();
  run.register_rows = layout.rows;
  run.zero_row = layout.zero;
  run.trash_row = layout.trash;
  run.uniform_row = layout.uniform;
  return run;
}

}  // namespace

Result<MachineCounts> run_machine(const Program& program, const MachineLaunch& launch) {
  const uint64_t threads = uint64_t{launch.block[0]} * launch.block[1] * launch.block[2];
  const KernelDemands demands{program.registers, program.max_threads, program.own_shared_bytes()};
  WL_TRY(check_limits(launch, launch.cluster, demands, device_of(launch, program.architecture)));
  if (!launch.memory) return internal_error("a launch without memory");
  CodeCache once;
  CodeCache& cache = launch.code && launch.watch.empty() ? *launch.code : once;
  WL_ASSIGN(ReadyCode* const code, cache.ready(program, launch));
  for (size_t k = 0; k < std::min(launch.watch.size(), code->ops.size()); ++k) code->ops[k].watched = launch.watch[k];
  Run run = run_of(program, launch, *code);
  MachineCounts out;
  if (run.counted) out.instructions.resize(program.code.size());
  out.blocks = uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2];
  out.warps = out.blocks * ((threads + kLanes - 1) / kLanes);
  Undo undo;
  Footprint footprint(run.counted ? run.allocations : std::span<const simt::Allocation>{},
                      uint64_t{launch.sms} * launch.blocks_per_sm, launch.restore ? &undo : nullptr);
  run.footprint = &footprint;
  std::optional<WarpChecker> checker;
  if (launch.checks != 0) {
    run.checker = &checker.emplace(run, launch);
    run.ops = checker->watch(run.ops);
    run.translation = nullptr;
  }
  if (launch.keep_results) out.why_not_kept = why_not_kept(run, launch);
  run.keep = launch.keep_results && out.why_not_kept.empty();
  launch.cooperative ? run_resident(run, launch, &out) : run_blocks(run, launch, &out);
  average_times(&out);
  if (checker) checker->finish(&out);
  out.serialised = run.keep && any_op(run, &Op::ordered);
  out.kept = run.keep && !out.inexact && out.stop.kind == Stop::Kind::kNone;
  if (out.inexact && out.why_not_kept.empty()) out.why_not_kept = "a value whose last bits are not known";
  if (!out.kept) undo.restore();
  out.read_sectors = footprint.read_sectors();
  out.written_sectors = footprint.written_sectors();
  out.lone_sectors = footprint.lone_sectors();
  out.apart_sectors = footprint.apart_sectors();
  out.fresh_rate = footprint.reuse().fresh_rate();
  const double kept = kL2Share * static_cast<double>(launch.l2_bytes) / 32;
  if (static_cast<double>(out.read_sectors + out.written_sectors) > kept)
    out.lost_sectors = Reuse::kSectors * footprint.reuse().lost(kept / Reuse::kLineSectors);
  if (run.counted && launch.l2 != nullptr) {
    out.touched = footprint.runs();
    out.warm_sectors = launch.l2->pass(out.touched);
  }
  if (WrittenWatch* const watch = WrittenWatch::current(); run.counted && watch != nullptr)
    watch->runs = footprint.written_runs();
  return out;
}

}  // namespace warplens::simt::sass_machine
