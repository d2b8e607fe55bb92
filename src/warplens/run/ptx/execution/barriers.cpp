#include "warplens/run/ptx/barriers.h"

#include "warplens/base/text.h"
#include "warplens/run/ptx/checks/checker.h"

namespace warplens::simt::ptx_machine {
namespace {

constexpr uint32_t kWarpsOfGroup = 4;

/// Of the block, or of the warpgroup whose meeting place barrier `id` is.
uint32_t living_threads(const Cta& cta, uint32_t id) {
  if (id < kNamedBarriers) return cta.threads - cta.exited;
  uint32_t living = 0;
  for (const auto& warp : cta.warps) {
    const bool inside = warp->index / kWarpsOfGroup == id - kNamedBarriers;
    if (inside) living += static_cast<uint32_t>(__builtin_popcount(warp->live));
  }
  return living;
}

/// Ends the phase of barrier `id`: its results are kept for those who waited, who become ready.
void complete(Cta& cta, uint32_t id) {
  Barrier& b = cta.barriers[id];
  const bool named = id < kNamedBarriers;  // what a warpgroup does together orders no memory for the checks
  if (cta.checks && named) check_completion(cta, id);
  b.last_popc = b.popc;
  b.last_all = b.all;
  b.last_any = b.any;
  b.arrived = b.expected = b.popc = 0;
  b.all = true;
  b.any = false;
  ThreadChecker* checker = named ? cta.cluster->grid->checker : nullptr;
  for (const auto& warp : cta.warps) {
    uint32_t lanes = 0;
    for (Split& split : warp->splits) {
      if (split.state != SplitState::kBarrier || split.barrier != id) continue;
      split.state = SplitState::kReleased;
      lanes |= split.mask;
    }
    if (checker && lanes) checker->pass(*warp, id, lanes);
  }
  if (checker) checker->complete(cta, id);
}

template <typename F>
void write_predicate(Warp& w, const Op& op, F value) {
  uint32_t& p = w.predicate(op.d);
  const Barrier& b = w.cta->barriers[w.lanes<uint32_t>(op.a)[__builtin_ctz(w.mask)] & 15];
  p = value(b) ? p | w.mask : p & ~w.mask;
}

}  // namespace

void run_nothing(Warp&, const Op&) {}

void read_barrier_count(Warp& w, const Op& op) {
  const uint32_t count = w.cta->barriers[w.lanes<uint32_t>(op.a)[__builtin_ctz(w.mask)] & 15].last_popc;
  uint32_t* d = w.lanes<uint32_t>(op.d);
  for (uint32_t i = 0; i < kLanes; ++i) d[i] = (w.mask >> i) & 1 ? count : d[i];
}
void read_barrier_all(Warp& w, const Op& op) {
  write_predicate(w, op, [](const Barrier& b) { return b.last_all; });
}
void read_barrier_any(Warp& w, const Op& op) {
  write_predicate(w, op, [](const Barrier& b) { return b.last_any; });
}

bool arrive_barrier(Warp& w, const Op& op, bool waits) {
  const auto lane = static_cast<uint32_t>(__builtin_ctz(w.mask));
  const uint32_t id = w.lanes<uint32_t>(op.a)[lane];
  if (id > 15) {
    raise(w, op, Fault::Kind::kInvalid, lane, 0, fmt::format("barrier {} does not exist: there are 16, from 0", id));
    return false;
  }
  Barrier& b = w.cta->barriers[id];
  const uint32_t expected = op.b == kNoSlot ? 0 : w.lanes<uint32_t>(op.b)[lane];
  if (expected % kLanes || (!waits && expected == 0)) {
    raise(w, op, Fault::Kind::kInvalid, lane, 0,
          fmt::format("barrier {} with {} threads: the count must be a multiple of 32", id, expected));
    return false;
  }
  if (ThreadChecker* checker = w.cta->cluster->grid->checker) {
    checker->check_barrier(w, op, id, expected);
    checker->arrive(w, op, id);
  }
  if (b.arrived == 0) b.expected = expected;
  // A warp that arrives as a whole counts as 32 threads, though it may have fewer.
  b.arrived += expected && w.mask == w.live ? kLanes : static_cast<uint32_t>(__builtin_popcount(w.mask));
  if (op.c != kNoSlot) {
    const uint32_t values = w.predicate(op.c) & w.mask;
    b.popc += static_cast<uint32_t>(__builtin_popcount(values));
    b.all &= values == w.mask;
    b.any |= values != 0;
  }
  const uint32_t needed = b.expected ? b.expected : w.cta->threads - w.cta->exited;
  if (b.arrived < needed) return false;
  complete(*w.cta, id);
  return true;
}

void arrive_warpgroup(Warp& w) {
  const uint32_t id = kNamedBarriers + w.index / kWarpsOfGroup;
  w.cta->barriers[id].arrived += static_cast<uint32_t>(__builtin_popcount(w.mask));
  if (w.cta->barriers[id].arrived >= living_threads(*w.cta, id)) complete(*w.cta, id);
}

void complete_barriers(Cta& cta) {
  for (uint32_t id = 0; id < cta.barriers.size(); ++id) {
    const Barrier& b = cta.barriers[id];
    if (b.arrived && !b.expected && b.arrived >= living_threads(cta, id)) complete(cta, id);
  }
}

void arrive_cluster(Warp& w, const Op&) {
  if (ThreadChecker* checker = w.cta->cluster->grid->checker) checker->cluster_arrive(w);
  w.cluster_phase = w.cta->cluster->barrier_phase + 1;
  w.cta->cluster->barrier_arrived += static_cast<uint32_t>(__builtin_popcount(w.mask));
  complete_cluster(*w.cta->cluster);
}

void complete_cluster(Cluster& cluster) {
  uint32_t living = 0;
  for (const auto& cta : cluster.ctas) living += cta->threads - cta->exited;
  if (cluster.barrier_arrived == 0 || cluster.barrier_arrived < living) return;
  cluster.barrier_arrived = 0;
  ++cluster.barrier_phase;
  if (ThreadChecker* checker = cluster.grid->checker) checker->cluster_complete(cluster);
  for (const auto& cta : cluster.ctas) {
    for (const auto& warp : cta->warps) {
      for (Split& split : warp->splits) {
        if (split.state == SplitState::kCluster) split.state = SplitState::kReleased;
      }
    }
  }
}

}  // namespace warplens::simt::ptx_machine
