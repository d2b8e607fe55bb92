#include "warplens/run/sass/machine.h"

#include <algorithm>
#include <utility>

#include "warplens/base/text.h"
#include "warplens/base/threads.h"
#include "warplens/base/timing.h"
#include "warplens/run/sass/decoder.h"
#include "warplens/run/sass/kept.h"
#include "warplens/run/sass/launch_state.h"
#include "warplens/run/sass/run_blocks.h"
#include "warplens/run/sass/run_cluster.h"
#include "warplens/run/sass/run_warp.h"
#include "warplens/run/sass/worker.h"

namespace warplens::simt::sass_machine {
namespace {

constexpr uint32_t kReservedShared = 1024;  // what the driver keeps at the start, compute capability 9.0
constexpr uint32_t kStackSlack = 1024;      // beyond the frame, for calls

/// All blocks side by side on one CPU thread, turn by turn: they may wait for each other.
void run_resident(Run& run, const MachineLaunch& launch, MachineCounts* out) {
  Worker all;
  all.counts.resize(run.ops.size() + 1);
  for (uint64_t i = 0; i < out->blocks / blocks_of(launch.cluster); ++i) {
    Cluster& cluster = *all.clusters.emplace_back(std::make_unique<Cluster>());
    prepare_cluster(cluster, run, &all.counts);
    place_cluster(cluster, i, launch);
    start_cluster(cluster);
  }
  for (bool progress = true; progress && out->stop.kind == Stop::Kind::kNone;) {
    progress = false;
    for (auto& cluster : all.clusters) progress |= step_cluster(*cluster, &cluster->turns, &out->stop);
    for (auto& cluster : all.clusters) progress = progress || go_without_others(*cluster);
    if (const std::string why = interruption(run); !why.empty())
      out->stop = {.kind = Stop::Kind::kLimit, .reason = why};
  }
  out->polled = true;  // at the grid's barrier
  sum_stretches(run.ops, &all.counts);
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

/// One more than ops, for the stalls before what would come behind the last.
void add_schedules(Run* run) {
  int64_t before = 0;
  for (const Op& op : run->ops) {
    run->schedules.push_back(schedule_of(op.word, instruction(op.opcode).latency));
    run->schedules.back().before = before;
    before += run->schedules.back().stall;
  }
  run->schedules.emplace_back().before = before;
}

/// Registers of a thread: as many as a warp may ask for while it runs.
uint32_t registers_of(const Program& program) {
  uint32_t out = std::max(program.registers, 16u);
  for (size_t k = 0; k < program.code.size(); ++k) {
    if (program.at(k).opcode == Opcode::kUsetmaxreg) out = std::max(out, std::min(program.code[k].immediate(), 255u));
  }
  return out;
}

}  // namespace

Result<MachineCounts> run_machine(const Program& program, const MachineLaunch& launch) {
  const uint64_t threads = uint64_t{launch.block[0]} * launch.block[1] * launch.block[2];
  if (threads == 0 || threads > 1024) return usage_error(fmt::format("a block of {} threads", threads));
  if (!launch.memory) return internal_error("a launch without memory");
  Run run;
  run.program = &program;
  if (launch.timeout_s > 0)
    run.deadline_ns = monotonic_ns() + static_cast<int64_t>(std::min(launch.timeout_s, 1e9) * 1e9);
  run.launch = &launch;
  run.local_bytes = (program.frame_bytes + kStackSlack + 15) / 16 * 16;
  LaunchState state;
  WL_TRY(state.prepare(program, launch, run.local_bytes));
  run.constants = &state.constants;
  run.allocations = launch.memory->live();
  run.allocations.push_back(state.parameters());
  if (launch.cooperative) run.allocations.push_back(state.grid_barrier());
  for (const auto& [name, bytes] : program.variables) {
    const auto begin = reinterpret_cast<uint64_t>(bytes.data());
    run.allocations.push_back({begin, begin + bytes.size(), 0, name});
  }
  std::sort(run.allocations.begin(), run.allocations.end(),
            [](const auto& a, const auto& b) { return a.begin < b.begin; });
  const uint32_t reserved = program.architecture >= 90 ? kReservedShared : 0;
  run.shared_bytes = std::max(program.static_shared_bytes, reserved) + launch.dynamic_shared_bytes;
  Decoder decoder(program, state.constants, registers_of(program) + 8);
  run.ops = decoder.decode();
  run.waits = launch.cooperative || blocks_of(launch.cluster) > 1 ||
              std::any_of(run.ops.begin(), run.ops.end(), [](const Op& op) { return op.opcode == Opcode::kSyncs; });
  run.register_rows = decoder.layout().rows;
  run.zero_row = decoder.layout().zero;
  run.trash_row = decoder.layout().trash;
  run.uniform_row = decoder.layout().uniform;
  MachineCounts out;
  out.instructions.resize(program.code.size());
  out.blocks = uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2];
  out.warps = out.blocks * ((threads + kLanes - 1) / kLanes);
  Undo undo;
  run.counted = launch.counted || launch.restore || any_op(run, &Op::reads_clock);
  Footprint footprint(run.counted ? run.allocations : std::vector<simt::Allocation>{},
                      uint64_t{launch.sms} * launch.blocks_per_sm, launch.restore ? &undo : nullptr);
  run.footprint = &footprint;
  if (launch.keep_results) out.why_not_kept = why_not_kept(run, launch);
  run.keep = launch.keep_results && out.why_not_kept.empty();
  for (size_t k = 0; k < std::min(launch.watch.size(), run.ops.size()); ++k) run.ops[k].watched = launch.watch[k];
  add_schedules(&run);
  if (!run.counted) {
    forget_time(program, &run.ops);
    run.translation = Translation::make(run.ops, run.zero_row);
  }
  launch.cooperative ? run_resident(run, launch, &out) : run_blocks(run, launch, &out);
  out.serialised = run.keep && any_op(run, &Op::ordered);
  out.kept = run.keep && !out.inexact && out.stop.kind == Stop::Kind::kNone;
  if (out.inexact && out.why_not_kept.empty()) out.why_not_kept = "a value whose last bits are not known";
  if (!out.kept) undo.restore();
  out.read_sectors = footprint.read_sectors();
  out.written_sectors = footprint.written_sectors();
  out.lone_sectors = footprint.lone_sectors();
  out.exchanged_sectors = footprint.exchanged_sectors();
  constexpr double kL2Share = 2 / 3.0;  // of its bytes: what comes from its other half lies in both, half of everything
  const double kept = kL2Share * static_cast<double>(launch.l2_bytes) / 32;
  if (static_cast<double>(out.read_sectors + out.written_sectors) > kept)
    out.lost_sectors = Reuse::kSectors * footprint.reuse().lost(kept / Reuse::kSectors);
  return out;
}

}  // namespace warplens::simt::sass_machine
