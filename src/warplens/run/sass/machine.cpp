#include "warplens/run/sass/machine.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

#include "warplens/base/text.h"
#include "warplens/base/threads.h"
#include "warplens/base/timing.h"
#include "warplens/run/sass/decoder.h"
#include "warplens/run/sass/kept.h"
#include "warplens/run/sass/launch_state.h"
#include "warplens/run/sass/run_cluster.h"
#include "warplens/run/sass/run_warp.h"
#include "warplens/run/sass/sums_in_order.h"
#include "warplens/run/sass/worker.h"

namespace warplens::simt::sass_machine {
namespace {

constexpr uint32_t kReservedShared = 1024;  // what the driver keeps at the start, compute capability 9.0
constexpr uint32_t kStackSlack = 1024;      // beyond the frame, for calls

/// The blocks that SM 0 gets first, when blocks are dealt out one by one.
bool is_sampled(uint64_t block, const MachineLaunch& launch) {
  constexpr uint64_t kTurns = 12;  // sets of resident blocks
  return block % launch.sms == 0 && block / launch.sms < kTurns * launch.blocks_per_sm;
}

uint64_t number_of(const std::array<uint32_t, 3>& place, const std::array<uint32_t, 3>& size) {
  return place[0] + size[0] * (place[1] + uint64_t{size[1]} * place[2]);
}

/// All blocks side by side on one CPU thread, turn by turn: they may wait for each other.
void run_resident(Run& run, const MachineLaunch& launch, MachineCounts* out) {
  Worker all;
  all.counts.resize(run.ops.size() + 1);
  std::vector<Cluster> clusters(out->blocks / blocks_of(launch.cluster));
  for (uint64_t i = 0; i < clusters.size(); ++i) {
    prepare_cluster(clusters[i], run, &all.counts);
    place_cluster(clusters[i], i, launch);
    start_cluster(clusters[i]);
  }
  uint64_t turns = 0;
  for (bool progress = true; progress && out->stop.kind == Stop::Kind::kNone;) {
    progress = false;
    for (Cluster& cluster : clusters) progress |= step_cluster(cluster, &turns, &out->stop);
    if (const std::string why = interruption(run); !why.empty())
      out->stop = {.kind = Stop::Kind::kLimit, .reason = why};
  }
  LineTally atomics;
  out->polled = true;  // at the grid's barrier
  sum_stretches(run.ops, &all.counts);
  for (const Cluster& cluster : clusters) {
    for (const Block& block : cluster.blocks) {
      const bool waits = std::any_of(block.warps.begin(), block.warps.end(), [](const Warp& w) { return w.live != 0; });
      if (!waits) ++out->ended_blocks;
      if (waits && out->stop.kind == Stop::Kind::kNone) out->stop = waiting(cluster);
      out->output += block.output;
      add_block_time(block, &all);
      add_block(block, &atomics, out);
    }
  }
  add_worker(all, &atomics, out);
  add_busiest_slice(atomics, out);
}

bool any_op(const Run& run, bool Op::* what) {
  return std::any_of(run.ops.begin(), run.ops.end(), [&](const Op& op) { return op.*what; });
}

/// CPU threads; where results stay, blocks whose order matters go one by one.
size_t threads_for(const Run& run, const MachineLaunch& launch, uint64_t blocks) {
  if (run.keep && any_op(run, &Op::ordered)) return 1;
  return std::min<uint64_t>(launch.threads ? launch.threads : default_threads(), blocks);
}

constexpr uint64_t kClustersBetweenTelling = 32;

void run_blocks(Run& run, const MachineLaunch& launch, MachineCounts* out) {
  const uint64_t blocks = out->blocks, clusters = blocks / blocks_of(launch.cluster);
  const size_t threads = threads_for(run, launch, clusters);
  run.parallel = threads > 1;
  const bool log_sums = run.keep && threads > 1 && any_op(run, &Op::sums);
  SumsInOrder sums;
  std::atomic<uint64_t> next{0};
  std::mutex merge;
  std::map<uint64_t, L1Trace> traces;
  std::map<uint64_t, std::string> outputs;
  LineTally atomics;
  parallel_for(threads, threads, [&](size_t) {
    Worker worker;
    worker.counts.resize(run.ops.size() + 1);  // and one behind the last, where stretches end
    prepare_cluster(worker.cluster, run, &worker.counts);
    for (Block& block : worker.cluster.blocks) block.log_sums = log_sums;
    std::vector<L1Trace> seen(worker.cluster.blocks.size());
    for (uint64_t i; (i = next.fetch_add(1)) < clusters;) {
      place_cluster(worker.cluster, i, launch);
      for (Block& block : worker.cluster.blocks) {
        const bool sampled = run.counted && is_sampled(number_of(block.index, launch.grid), launch);
        seen[block.rank] = {};
        if (sampled)
          seen[block.rank].warps.resize(block.warps.size()), seen[block.rank].last.resize(block.warps.size());
        block.trace = sampled ? &seen[block.rank] : nullptr;
      }
      run_cluster(worker.cluster, launch.instruction_limit);
      if (launch.progress && i % kClustersBetweenTelling == 0) {
        const std::lock_guard lock(merge);
        launch.progress({i * blocks_of(launch.cluster), blocks, 0});
      }
      if (log_sums) sums.add(i, &worker.cluster.blocks[0].pending_sums);
      for (Block& block : worker.cluster.blocks) {
        add_block_time(block, &worker);
        if (block.stop.kind != Stop::Kind::kNone) next = clusters;
        else ++worker.ended_blocks;
        if (!block.trace && block.output.empty()) continue;
        const std::lock_guard lock(merge);
        if (!block.output.empty()) outputs[i] += std::exchange(block.output, {});
        if (!block.trace) continue;
        traces[number_of(block.index, launch.grid)] = std::move(seen[block.rank]);
      }
    }
    sum_stretches(run.ops, &worker.counts);
    const std::lock_guard lock(merge);
    add_worker(worker, &atomics, out);
  });
  for (const auto& [cluster, text] : outputs) out->output += text;
  add_busiest_slice(atomics, out);
  const uint64_t on_sm = (blocks + launch.sms - 1) / launch.sms;
  const L1Cache cache = replay(traces, std::clamp<uint64_t>(launch.blocks_per_sm, 1, on_sm), launch.l1_bytes);
  out->l1_sampled_sectors = cache.counts.hits + cache.counts.misses;
  if (out->l1_sampled_sectors == 0) return;
  // What the model did not see goes on as the second half of what it saw: by then the cache is warm.
  const double sampled = static_cast<double>(traces.size()),
               all = std::max(sampled, static_cast<double>(blocks) / launch.sms);
  const CacheCounts first = cache.first_half, whole = cache.counts;
  const double more = (all - sampled) / std::max(1.0, sampled / 2);
  auto extended = [&](uint64_t CacheCounts::* part) {
    return static_cast<double>(whole.*part) + more * static_cast<double>(whole.*part - first.*part);
  };
  const double total = extended(&CacheCounts::hits) + extended(&CacheCounts::misses);
  out->l1_hit_rate = extended(&CacheCounts::hits) / total;
  out->l1_late_rate = extended(&CacheCounts::late_hits) / total;
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
  if (!run.counted) std::for_each(run.ops.begin(), run.ops.end(), [](Op& op) { op.timed = false; });
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
