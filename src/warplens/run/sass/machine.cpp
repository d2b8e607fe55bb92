#include "warplens/run/sass/machine.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <mutex>
#include <utility>

#include "warplens/base/text.h"
#include "warplens/base/threads.h"
#include "warplens/base/timing.h"
#include "warplens/run/sass/cluster.h"
#include "warplens/run/sass/decoder.h"
#include "warplens/run/sass/flow.h"
#include "warplens/run/sass/kept.h"
#include "warplens/run/sass/launch_state.h"
#include "warplens/run/sass/run_warp.h"
#include "warplens/run/sass/sums_in_order.h"
#include "warplens/run/sass/worker.h"

namespace warplens::simt::sass_machine {
namespace {

constexpr uint32_t kReservedShared = 1024;  // what the driver keeps at the start, compute capability 9.0
constexpr uint32_t kStackSlack = 1024;      // beyond the frame, for calls

void start_warp(Warp& w, Block& block, uint32_t index, uint32_t threads) {
  const Run& run = *block.run;
  w.index = index;
  w.block = &block;
  w.clock = &block.clocks[index];
  *w.clock = {};
  w.zero = run.zero_row;
  w.trash = run.trash_row;
  w.uniform = run.uniform_row;
  w.predicates = {};
  w.predicates[7] = w.predicates[15] = kAll;
  w.at_cluster = w.cluster_phase = 0;
  w.live = threads - index * kLanes >= kLanes ? kAll : (1u << (threads - index * kLanes)) - 1;
  w.splits.assign(1, {run.program->entry, w.live});
  w.current = 0;
}

void prepare_block(Block& block, Run& run) {
  const uint32_t threads = run.launch->block[0] * run.launch->block[1] * run.launch->block[2];
  const uint32_t warps = (threads + kLanes - 1) / kLanes;
  block.run = &run;
  block.hints.assign(run.ops.size(), 0);
  block.shared.assign(run.shared_bytes, 0);
  const size_t row_words = size_t{run.register_rows} * kLanes;
  block.storage.assign(warps * row_words + 16, 0);
  auto* base = reinterpret_cast<uint32_t*>((reinterpret_cast<uintptr_t>(block.storage.data()) + 63) & ~uintptr_t{63});
  block.warps.resize(warps);
  block.clocks.resize(warps);
  for (size_t i = warps; i--;) block.free_rows.push_back(base + i * row_words);
  for (size_t i = 0; i < warps; ++i) {
    block.warps[i].local.assign(size_t{run.local_bytes} * kLanes, 0);
    const auto& size = run.launch->block;
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      const auto thread = static_cast<uint32_t>(i) * kLanes + lane;
      block.warps[i].thread[0].value[lane] = thread % size[0];
      block.warps[i].thread[1].value[lane] = thread / size[0] % size[1];
      block.warps[i].thread[2].value[lane] = thread / (size[0] * size[1]);
    }
  }
}

/// Opens the barriers that have all their threads. True when one opened.
bool open_barriers(Block& block) {
  uint32_t live = 0;
  for (const Warp& w : block.warps) live += static_cast<uint32_t>(std::popcount(w.live));
  bool opened = false;
  for (uint32_t k = 0; k < block.barriers.size(); ++k) {
    Block::Barrier& barrier = block.barriers[k];
    if (barrier.arrived == 0 || barrier.arrived < (barrier.expected ? barrier.expected : live)) continue;
    Clock latest;
    for (const Clock& clock : block.clocks) latest.meet(clock.now());
    latest.wait(barrier_cycles(block.warps.size()));
    for (Warp& w : block.warps) {
      release_barrier(w, k);
      w.clock->meet(latest.now());
    }
    const uint32_t yes = barrier.yes, asked = barrier.asked;
    barrier = {};
    barrier.last_yes = yes;
    barrier.last_asked = asked;
    opened = true;
  }
  return opened;
}

/// Why the run has to end now; empty: it goes on.
std::string interruption(const Run& run) {
  if (run.launch->cancel && run.launch->cancel->load(std::memory_order_relaxed)) return "it was interrupted";
  if (!run.deadline_ns || monotonic_ns() <= run.deadline_ns) return "";
  return fmt::format("its machine code had not ended after {:.3g} s", run.launch->timeout_s);
}

void start_block(Block& block) {
  std::fill(block.shared.begin(), block.shared.end(), 0);
  const auto& size = block.run->launch->block;
  const uint32_t threads = size[0] * size[1] * size[2];
  for (uint32_t i = 0; i < block.warps.size(); ++i) start_warp(block.warps[i], block, i, threads);
  block.barriers = {};
}

/// False when the warp could not run.
bool step_warp(Block& block, Warp& w) {
  if (!w.rows) {
    w.rows = block.free_rows.back();
    block.free_rows.pop_back();
  }
  const bool ran = run_warp(w, *block.run, *block.counts);
  if (!w.live) {
    block.free_rows.push_back(w.rows);
    w.rows = nullptr;
  }
  return ran;
}

/// Gives every warp a turn. False when none could run.
bool step_block(Block& block, uint64_t* turns) {
  bool progress = false;
  for (Warp& w : block.warps) {
    if (w.live && step_warp(block, w)) progress = true, ++*turns;
    if (block.stop.kind != Stop::Kind::kNone) return true;
  }
  return open_barriers(block) || progress;
}

/// Gives every warp of a cluster a turn. False when none could run.
bool step_cluster(Cluster& cluster, uint64_t* turns, Stop* stop) {
  bool progress = false;
  for (Block& block : cluster.blocks) {
    if (step_block(block, turns)) progress = true;
    if (block.stop.kind == Stop::Kind::kNone) continue;
    *stop = block.stop;
    return true;
  }
  return open_cluster_barrier(cluster) || progress;
}

void start_cluster(Cluster& cluster) {
  for (Block& block : cluster.blocks) start_block(block);
  cluster.phase = 0;
  cluster.signals.clear();
}

void run_cluster(Cluster& cluster, uint64_t limit) {
  start_cluster(cluster);
  uint64_t turns = 0;
  Block& block = cluster.blocks[0];  // where what stops the run is written down
  Stop stop;
  for (bool progress = true; progress;) {
    progress = step_cluster(cluster, &turns, &stop);
    if (stop.kind != Stop::Kind::kNone) {
      block.stop = std::move(stop);
      return;
    }
    constexpr uint64_t kSteps = 16;  // between looks at the clock
    if (++block.steps % kSteps == 0) {
      if (const std::string why = interruption(*block.run); !why.empty()) return block.fail(Stop::Kind::kLimit, why);
    }
    if (limit && turns * kTurn > limit * 4)
      return block.fail(Stop::Kind::kLimit, "its machine code reached the limit of instructions");
  }
  for (const Block& one : cluster.blocks) {
    for (const Warp& w : one.warps) {
      if (w.live) return block.fail(Stop::Kind::kDeadlock, "threads wait for others that never come");
    }
  }
}

/// The blocks that SM 0 gets first, when blocks are dealt out one by one.
bool is_sampled(uint64_t block, const MachineLaunch& launch) {
  constexpr uint64_t kTurns = 12;  // sets of resident blocks
  return block % launch.sms == 0 && block / launch.sms < kTurns * launch.blocks_per_sm;
}

std::array<uint32_t, 3> place_of(uint64_t block, const std::array<uint32_t, 3>& size) {
  return {static_cast<uint32_t>(block % size[0]), static_cast<uint32_t>(block / size[0] % size[1]),
          static_cast<uint32_t>(block / (uint64_t{size[0]} * size[1]))};
}
uint64_t number_of(const std::array<uint32_t, 3>& place, const std::array<uint32_t, 3>& size) {
  return place[0] + size[0] * (place[1] + uint64_t{size[1]} * place[2]);
}

void prepare_cluster(Cluster& cluster, Run& run, std::vector<simt::InstructionCounts>* counts) {
  cluster.blocks = std::vector<Block>(blocks_of(run.launch->cluster));
  for (uint32_t rank = 0; rank < cluster.blocks.size(); ++rank) {
    Block& block = cluster.blocks[rank];
    block.counts = counts;
    block.cluster = &cluster;
    block.rank = rank;
    prepare_block(block, run);
  }
}

/// Says which blocks of the grid these are.
void place_cluster(Cluster& cluster, uint64_t number, const MachineLaunch& launch) {
  std::array<uint32_t, 3> clusters;
  for (size_t axis = 0; axis < 3; ++axis) clusters[axis] = launch.grid[axis] / launch.cluster[axis];
  const std::array<uint32_t, 3> at = place_of(number, clusters);
  for (Block& block : cluster.blocks) {
    const std::array<uint32_t, 3> within = place_of(block.rank, launch.cluster);
    for (size_t axis = 0; axis < 3; ++axis) block.index[axis] = at[axis] * launch.cluster[axis] + within[axis];
  }
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
      if (waits && out->stop.kind == Stop::Kind::kNone)
        out->stop = {.kind = Stop::Kind::kDeadlock, .reason = "threads wait for others that never come"};
      out->output += block.output;
      add_block_time(block, &all);
      add_block(block, &atomics, out);
    }
  }
  add_worker(all, &atomics, out);
  add_busiest_slice(atomics, out);
}

bool any_op(const Run& run, bool Op::*what) {
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
        const bool sampled = is_sampled(number_of(block.index, launch.grid), launch);
        seen[block.rank] = {};
        if (sampled) seen[block.rank].warps.resize(block.warps.size()), seen[block.rank].last.resize(block.warps.size());
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
  auto extended = [&](uint64_t CacheCounts::*part) {
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
  Footprint footprint(run.allocations, launch.restore ? &undo : nullptr);
  run.footprint = &footprint;
  if (launch.keep_results) out.why_not_kept = why_not_kept(run, launch);
  run.keep = launch.keep_results && out.why_not_kept.empty();
  for (size_t k = 0; k < std::min(launch.watch.size(), run.ops.size()); ++k) run.ops[k].watched = launch.watch[k];
  add_schedules(&run);
  launch.cooperative ? run_resident(run, launch, &out) : run_blocks(run, launch, &out);
  out.serialised = run.keep && any_op(run, &Op::ordered);
  out.kept = run.keep && !out.inexact && out.stop.kind == Stop::Kind::kNone;
  if (out.inexact && out.why_not_kept.empty()) out.why_not_kept = "a value whose last bits are not known";
  if (!out.kept) undo.restore();
  out.read_sectors = footprint.read_sectors();
  out.written_sectors = footprint.written_sectors();
  out.lone_sectors = footprint.lone_sectors();
  out.exchanged_sectors = footprint.exchanged_sectors();
  constexpr double kL2Share = 0.5;  // of L2's bytes: what is read from both of its halves lies in each
  const double kept = kL2Share * static_cast<double>(launch.l2_bytes) / 32;
  if (static_cast<double>(out.read_sectors + out.written_sectors) > kept)
    out.lost_sectors = footprint.reuse().lost(kept);
  return out;
}

}  // namespace warplens::simt::sass_machine
