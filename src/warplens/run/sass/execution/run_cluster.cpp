#include "warplens/run/sass/execution/run_cluster.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "warplens/base/set_bits.h"
#include "warplens/base/text.h"
#include "warplens/base/timing.h"
#include "warplens/model/chip.h"
#include "warplens/run/sass/checks/checker.h"
#include "warplens/run/sass/cluster.h"
#include "warplens/run/sass/control/flow.h"
#include "warplens/run/sass/counting/footprint.h"
#include "warplens/run/sass/decoder.h"
#include "warplens/run/sass/recycled.h"
#include "warplens/run/sass/run_warp.h"
#include "warplens/simt/numbering.h"

namespace warplens::simt::sass_machine {
namespace {

void start_warp(Warp& w, Block& block, uint32_t index, uint32_t threads) {
  const Run& run = *block.run;
  w.index = index;
  w.block = &block;
  w.clock = &block.clocks[index];
  w.traced = block.trace != nullptr;
  w.shared = block.shared.data();
  w.shared_bytes = run.shared_bytes;
  w.rank_bits = block.rank << kRankShift;
  if (run.counted) *w.clock = {};
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
  static_cast<BlockMemory&>(block) = Recycled<BlockMemory>::take();
  block.reach.assign(run.ops.size(), {});
  block.shared.resize(run.shared_bytes);
  const size_t row_words = size_t{run.register_rows} * kLanes, local_bytes = size_t{run.local_bytes} * kLanes;
  block.storage.assign(warps * row_words + 16, 0);
  block.local.resize(warps * local_bytes);
  if (run.program->frame_bytes > 0) std::fill(block.local.begin(), block.local.end(), 0);
  auto* base = reinterpret_cast<uint32_t*>((reinterpret_cast<uintptr_t>(block.storage.data()) + 63) & ~uintptr_t{63});
  block.warps.resize(warps);
  block.clocks.resize(warps);
  for (size_t i = warps; i--;) block.free_rows.push_back(base + i * row_words);
  for (size_t i = 0; i < warps; ++i) {
    block.warps[i].local = std::span(block.local).subspan(i * local_bytes, local_bytes);
    const auto& size = run.launch->block;
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      const auto thread = place_in(size, i * kLanes + lane);
      for (size_t axis = 0; axis < 3; ++axis) block.warps[i].thread[axis].value[lane] = thread[axis];
    }
  }
}

/// The warps' clocks go on from the latest one.
void meet_at_barrier(Block& block) {
  Clock latest;
  for (const Clock& clock : block.clocks) latest.meet(clock.now());
  latest.wait(barrier_cycles(block.warps.size()));
  for (Warp& w : block.warps) {
    if (w.live) w.clock->meet(latest.now());
  }
}

/// Opens the barriers that have all their threads. True when one opened.
bool open_barriers(Block& block) {
  uint32_t live = 0;
  for (const Warp& w : block.warps) live += static_cast<uint32_t>(std::popcount(w.live));
  bool opened = false;
  for (const uint32_t k : set_bits(block.begun_barriers)) {
    Block::Barrier& barrier = block.barriers[k];
    if (barrier.arrived == 0 || barrier.arrived < (barrier.expected ? barrier.expected : live)) continue;
    if (block.run->checker) block.run->checker->complete(block, k);
    if (block.run->counted) meet_at_barrier(block);
    for (Warp& w : block.warps) release_barrier(w, k);
    block.begun_barriers &= ~(1u << k);
    const uint32_t yes = barrier.yes, asked = barrier.asked;
    barrier = {};
    barrier.last_yes = yes;
    barrier.last_asked = asked;
    opened = true;
  }
  return opened;
}

void start_block(Block& block) {
  std::fill(block.shared.begin(), block.shared.end(), 0);
  const auto& size = block.run->launch->block;
  const uint32_t threads = size[0] * size[1] * size[2];
  for (uint32_t i = 0; i < block.warps.size(); ++i) start_warp(block.warps[i], block, i, threads);
  block.barriers = {};
  block.begun_barriers = 0;
  block.live_warps = static_cast<uint32_t>(block.warps.size());
  block.open_writes.close();
  block.touches.start();
  if (block.run->checker) block.run->checker->start(block);
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
    --block.live_warps;
  }
  return ran;
}

/// Gives every warp a turn. False when none could run.
bool step_block(Block& block, uint64_t* turns) {
  bool progress = false;
  for (Warp& w : block.warps) {
    if (w.live && step_warp(block, w)) {
      progress = true;
      ++*turns;
    }
    if (block.stop.kind != Stop::Kind::kNone) return true;
  }
  return (block.begun_barriers != 0 && open_barriers(block)) || progress;
}

}  // namespace

std::string interruption(const Run& run) {
  if (run.launch->cancel && run.launch->cancel->load(std::memory_order_relaxed)) return "it was interrupted";
  if (!run.deadline_ns || monotonic_ns() <= run.deadline_ns) return "";
  return fmt::format("its machine code had not ended after {:.3g} s", run.launch->timeout_s);
}

namespace {

std::string what_for(const Split& split) {
  switch (split.state) {
    case Split::State::kBarrier: return fmt::format("at barrier {}", split.barrier);
    case Split::State::kWarpSync: return fmt::format("for the lanes {:#010x} of their mask", split.wanted);
    case Split::State::kSync: return fmt::format("for the lanes {:#010x} to come back together", split.wanted);
    case Split::State::kCluster: return "at the cluster's barrier";
    case Split::State::kGrid: return "at the grid's barrier";
    case Split::State::kPhase: return fmt::format("for the mbarrier at {:#x}", split.barrier);
    case Split::State::kReady: break;
  }
  return "for nothing";
}

}  // namespace

Stop waiting(const Cluster& cluster) {
  Stop stop;
  for (const Block& block : cluster.blocks) {
    for (const Warp& w : block.warps) {
      if (!w.live) continue;
      stop = {.kind = Stop::Kind::kDeadlock, .placed = true, .block = block.index, .pc = w.splits[0].pc};
      std::string who;
      for (const Split& split : w.splits)
        who += fmt::format("{}{} {} (code {:#x})", who.empty() ? "" : ", ", std::popcount(split.lanes), what_for(split),
                           uint64_t{split.pc} * 16);
      stop.reason = "threads wait for others that never come: in warp " + std::to_string(w.index) + ": " + who;
      const int first = std::countr_zero(w.splits[0].lanes);
      for (size_t axis = 0; axis < 3; ++axis) stop.thread[axis] = w.thread[axis].value[first];
      return stop;
    }
  }
  return stop;
}

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
  cluster.turns = 0;
  cluster.signals.clear();
  cluster.copies.clear();
  close_remote_turns(cluster);  // of the one before
}

bool go_without_others(Cluster& cluster) {
  bool any = false;
  for (Block& block : cluster.blocks) {
    for (Warp& w : block.warps) {
      const uint32_t gone_without = w.live ? name_no_others(w) : 0;
      if (!gone_without) continue;
      any = true;
      if (block.let_pass.kind != Stop::Kind::kNone) continue;
      block.let_pass = {.kind = Stop::Kind::kDeadlock, .placed = true, .block = block.index, .pc = w.splits.back().pc};
      block.let_pass.reason = fmt::format("a *_sync names lanes that wait elsewhere, {:#010x}", gone_without);
      const int first = std::countr_zero(w.splits.back().lanes);
      for (size_t axis = 0; axis < 3; ++axis) block.let_pass.thread[axis] = w.thread[axis].value[first];
    }
  }
  return any;
}

namespace {

/// All have ended, and no check is left to make.
bool is_over(const Cluster& cluster) {
  return std::ranges::all_of(cluster.blocks, [](const Block& b) { return b.live_warps == 0 && !b.checks; });
}

/// Whether to look at the time, which takes as long as a small block: after some turns, of this block or the next.
bool should_look(Cluster& cluster, uint64_t turns) {
  constexpr uint64_t kTurnsBetweenLooks = 64;
  cluster.turns_since_look += turns;
  if (cluster.turns_since_look < kTurnsBetweenLooks) return false;
  cluster.turns_since_look = 0;
  return true;
}

}  // namespace

bool run_cluster(Cluster& cluster, uint64_t limit, uint64_t patience) {
  Block& block = cluster.blocks[0];  // where what stops the run is written down
  const uint64_t until = cluster.turns + patience;
  Stop stop;
  for (bool progress = true; progress;) {
    const uint64_t before = cluster.turns;
    const bool stepped = step_cluster(cluster, &cluster.turns, &stop), over = is_over(cluster);
    progress = stepped || over || go_without_others(cluster);
    if (stop.kind != Stop::Kind::kNone) {
      block.stop = std::move(stop);
      return true;
    }
    if (should_look(cluster, cluster.turns - before)) {
      if (const std::string why = interruption(*block.run); !why.empty()) {
        block.fail(Stop::Kind::kTimeout, why);
        return true;
      }
    }
    if (limit && cluster.turns * kTurn > limit * 4) {
      block.fail(Stop::Kind::kInstructionLimit, "its machine code reached the limit of instructions");
      return true;
    }
    if (over) return true;
    if (patience && progress && cluster.turns > until) return false;
  }
  block.stop = waiting(cluster);
  return true;
}

Cluster::~Cluster() {
  for (Block& block : blocks) {
    const size_t bytes = block.bytes();
    Recycled<BlockMemory>::give_back(std::move(static_cast<BlockMemory&>(block)), bytes);
  }
}

namespace {

/// Each warp makes sure that the others see its writes.
uint64_t cluster_barrier_cycles(const Run& run, uint64_t warps_of_block) {
  const model::Chip chip = model::chip_of(device_of(*run.launch, run.program->architecture));
  return static_cast<uint64_t>(chip.cluster_barrier_cycles +
                               chip.cluster_barrier_warp_cycles * static_cast<double>(warps_of_block));
}

}  // namespace

void prepare_cluster(Cluster& cluster, Run& run, Tally* counts) {
  cluster.blocks = std::vector<Block>(blocks_of(run.launch->cluster));
  cluster.gives_way = run.waits;
  for (uint32_t rank = 0; rank < cluster.blocks.size(); ++rank) {
    Block& block = cluster.blocks[rank];
    block.counts = counts;
    block.cluster = &cluster;
    block.rank = rank;
    prepare_block(block, run);
  }
  cluster.barrier_cycles = cluster_barrier_cycles(run, cluster.blocks[0].warps.size());
}

void place_cluster(Cluster& cluster, uint64_t number, const MachineLaunch& launch) {
  cluster.number = number;
  std::array<uint32_t, 3> clusters;
  for (size_t axis = 0; axis < 3; ++axis) clusters[axis] = launch.grid[axis] / launch.cluster[axis];
  const std::array<uint32_t, 3> at = place_in(clusters, number);
  for (Block& block : cluster.blocks) {
    const std::array<uint32_t, 3> within = place_in(launch.cluster, block.rank);
    for (size_t axis = 0; axis < 3; ++axis) block.index[axis] = at[axis] * launch.cluster[axis] + within[axis];
    block.wave = block.run->footprint->reuse().wave_of(number * cluster.blocks.size());
  }
}

}  // namespace warplens::simt::sass_machine
