// The blocks of a cluster: turns of their warps, barriers that nobody can complete.
#include <algorithm>

#include "warplens/base/random.h"
#include "warplens/base/text.h"
#include "warplens/run/ptx/asynchronous/mbarrier.h"
#include "warplens/run/ptx/tensor_memory/handlers.h"
#include "warplens/run/ptx/warp.h"

namespace warplens::simt::ptx_machine {
namespace {

// Passes in which all warps wait for mbarriers in vain before that is a deadlock: the more where other blocks may help.
constexpr uint32_t kIdlePasses = 256, kIdlePassesWithOthers = 8192;

struct Turns {
  bool ran = false, progressed = false, faulted = false;
  bool all_wait = true;           // those that ran wait for mbarriers
  const Warp* waiting = nullptr;  // the first of them
};

bool is_done(const Warp& w) { return w.live == 0 && w.splits.empty(); }

void take_turn(Warp& w, bool force, Turns& turns) {
  w.waits_for = {};
  const WarpStop stop = run_warp(w, force);
  switch (stop) {
    case WarpStop::kDone: turns.ran = turns.progressed = true; break;
    case WarpStop::kBlocked: turns.progressed |= !force; break;
    case WarpStop::kGaveWay: turns.progressed = true; break;
    case WarpStop::kSpinning: turns.ran = true; break;
    case WarpStop::kFaulted: turns.faulted = true; break;
  }
  const bool waits = stop == WarpStop::kSpinning && w.waits_for.row != kNoRow;
  turns.all_wait &= waits;
  if (waits && !turns.waiting) turns.waiting = &w;
}

/// Indices 0..count-1 in the order of the schedule.
std::vector<uint32_t> order_of(const Schedule& schedule, uint32_t count, uint64_t salt) {
  std::vector<uint32_t> order(count);
  for (uint32_t i = 0; i < count; ++i) order[i] = schedule.kind == Schedule::Kind::kReversed ? count - 1 - i : i;
  if (schedule.kind == Schedule::Kind::kRandom) shuffle(order, schedule.seed + salt);
  return order;
}

Turns take_turns(Cluster& cluster, bool force) {
  Turns turns;
  const Schedule& schedule = cluster.grid->config->schedule;
  const bool plain = schedule.kind == Schedule::Kind::kInOrder;
  for (const auto& cta : cluster.ctas) {
    const auto count = static_cast<uint32_t>(cta->warps.size());
    const std::vector<uint32_t> order =
        plain ? std::vector<uint32_t>{} : order_of(schedule, count, cluster.linear * 977 + cluster.passes);
    for (uint32_t i = 0; i < count && !turns.faulted; ++i) {
      Warp& w = *cta->warps[plain ? i : order[i]];
      if (is_done(w) || (!w.nodes.empty() && !force && !can_run(w))) continue;
      take_turn(w, force, turns);
    }
  }
  ++cluster.passes;
  return turns;
}

bool all_done(const Cluster& cluster) {
  for (const auto& cta : cluster.ctas) {
    for (const auto& w : cta->warps) {
      if (!is_done(*w)) return false;
    }
  }
  return true;
}

/// Every thread waits for something that cannot come: says for what, at the first of them.
void raise_deadlock(Cluster& cluster) {
  for (const auto& cta : cluster.ctas) {
    for (const auto& w : cta->warps) {
      for (const Split& s : w->splits) {
        const Block& b = w->program->blocks[s.block];
        w->mask = s.mask;
        const char* what = s.state == SplitState::kCluster   ? "the cluster's barrier"
                           : s.state != SplitState::kBarrier ? "other lanes of the warp"
                           : s.barrier < kNamedBarriers      ? "a barrier"
                                                             : "the other warps of its warpgroup";
        uint32_t waiting = 0;
        for (const auto& other : cta->warps) {
          for (const Split& t : other->splits) waiting += static_cast<uint32_t>(__builtin_popcount(t.mask));
        }
        raise(*w, w->program->ops[b.end_op], Fault::Kind::kDeadlock, static_cast<uint32_t>(__builtin_ctz(s.mask)), 0,
              fmt::format("deadlock: {} threads of the block wait, this one for {}, and none can continue", waiting,
                          what));
        return;
      }
    }
  }
}

/// Counts passes in which nothing can have changed. True after many: a deadlock, which it reports.
bool waits_in_vain(Cluster& cluster, const Turns& turns, uint64_t changes_before) {
  if (!turns.waiting || !turns.all_wait || turns.progressed || cluster.changes != changes_before) {
    cluster.idle_passes = 0;
    return false;
  }
  const uint32_t limit = turns.waiting->program->order_dependent ? kIdlePassesWithOthers : kIdlePasses;
  if (++cluster.idle_passes < limit) return false;
  for (const auto& cta : cluster.ctas) {
    for (const auto& w : cta->warps) {
      if (w.get() == turns.waiting) raise_mbarrier_deadlock(*w);
    }
  }
  return true;
}

}  // namespace

bool run_cluster(Cluster& cluster) {
  for (bool force = false;;) {
    const uint64_t changes = cluster.changes;
    const Turns turns = take_turns(cluster, force);
    if (turns.faulted || waits_in_vain(cluster, turns, changes)) return false;
    if (all_done(cluster)) return !leaves_tensor_memory(cluster);
    const bool can_go_on = std::any_of(cluster.ctas.begin(), cluster.ctas.end(), [](const auto& cta) {
      return std::any_of(cta->warps.begin(), cta->warps.end(),
                         [](const auto& w) { return can_run(*w) || (w->nodes.empty() && !is_done(*w)); });
    });
    if (can_go_on && !turns.progressed) return false;  // what runs, spins
    if (!can_go_on) {
      if (force) {
        raise_deadlock(cluster);
        return false;
      }
      force = true;
    } else {
      force = false;
    }
  }
}

}  // namespace warplens::simt::ptx_machine
