// One warp: which lanes run next, where they part and meet, calls and returns.
#include <algorithm>
#include <cstring>

#include "warplens/base/text.h"
#include "warplens/base/timing.h"
#include "warplens/run/ptx/barriers.h"
#include "warplens/run/ptx/call_nodes.h"
#include "warplens/run/ptx/checks/checker.h"
#include "warplens/run/ptx/decode/decode.h"
#include "warplens/run/ptx/limits.h"
#include "warplens/run/ptx/member_masks.h"

namespace warplens::simt::ptx_machine {
namespace {

constexpr uint32_t kSpinLimit = 512;    // blocks of a waiting loop before others get a turn
constexpr uint32_t kDepthLimit = 4096;  // calls

uint32_t count_bits(uint32_t mask) { return mask == kFull ? kLanes : static_cast<uint32_t>(__builtin_popcount(mask)); }

/// Splits in deeper calls first, then the earliest block; those that spin last of all.
uint64_t rank_of(const Warp& w, const Split& s) {
  return static_cast<uint64_t>(s.deferred) << 63 | static_cast<uint64_t>(kDepthLimit * 2 - s.node->depth) << 32 |
         w.program->blocks[s.block].order;
}

bool is_ready(const Split& s) { return s.state == SplitState::kReady || s.state == SplitState::kReleased; }

/// Chooses the split to run, joining those that stand at the same place. False when none is ready.
bool choose(Warp& w) {
  auto& splits = w.splits;
  if (splits.size() == 1 && splits[0].mask && is_ready(splits[0])) {
    splits[0].deferred = false;
    w.rival = ~uint64_t{0};
    w.current = 0;
    w.node = splits[0].node;
    w.regs = w.node->frame.get();
    return true;
  }
  splits.erase(std::remove_if(splits.begin(), splits.end(), [](const Split& s) { return s.mask == 0; }), splits.end());
  uint32_t best = ~0u;
  uint64_t best_rank = ~uint64_t{0};
  for (uint32_t i = 0; i < splits.size(); ++i) {
    if (!is_ready(splits[i])) continue;
    const uint64_t rank = rank_of(w, splits[i]);
    if (best == ~0u || rank < best_rank) {
      best = i;
      best_rank = rank;
    }
  }
  if (best == ~0u) return false;
  if (splits[best].deferred) {  // all that are ready spin: they start afresh
    for (Split& s : splits) s.deferred = false;
  }
  Split& chosen = splits[best];
  for (Split& s : splits) {
    const bool joins = chosen.state == SplitState::kReady && s.state == SplitState::kReady && s.block == chosen.block &&
                       s.node == chosen.node && &s != &chosen;
    if (!joins) continue;
    chosen.mask |= s.mask;
    s.mask = 0;
  }
  w.rival = ~uint64_t{0};
  for (uint32_t i = 0; i < splits.size(); ++i) {
    if (i != best && splits[i].mask && is_ready(splits[i])) w.rival = std::min(w.rival, rank_of(w, splits[i]));
  }
  w.current = best;
  w.node = splits[best].node;
  w.regs = w.node->frame.get();
  return true;
}

/// Lanes of the current split for which the block's last instruction holds; the others go on at `next`.
uint32_t split_off_idle(Warp& w, const Block& b) {
  Split& s = w.splits[w.current];
  if (b.guard == kNoSlot) return s.mask;
  const uint32_t on = s.mask & (w.predicate(b.guard) ^ (b.guard_flip ? kFull : 0));
  if (w.rows) w.rows[w.program->ops[b.end_op].row].predicated_on_threads += count_bits(on);
  if (on != s.mask && on != 0) {
    Split rest = s;
    rest.mask = s.mask & ~on;
    rest.block = b.next;
    s.mask = on;
    w.splits.push_back(rest);
    w.rival = 0;
  }
  return on;
}

void branch(Warp& w, const Block& b) {
  Split& s = w.splits[w.current];
  if (b.guard == kNoSlot) {
    s.block = b.target;
    if (w.rows) w.rows[w.program->ops[b.end_op].row].taken_threads += count_bits(s.mask);
    return;
  }
  const uint32_t all = s.mask, taken = all & (w.predicate(b.guard) ^ (b.guard_flip ? kFull : 0));
  if (w.rows) {
    auto& row = w.rows[w.program->ops[b.end_op].row];
    row.taken_threads += count_bits(taken);
    row.predicated_on_threads += count_bits(taken);
    if (taken != 0 && taken != all) {
      ++row.divergent_branches;
      row.divergent_threads += count_bits(all);
    }
  }
  if (taken == all) {
    s.block = b.target;
  } else if (taken == 0) {
    s.block = b.next;
  } else {
    Split other = s;
    s.mask = taken;
    s.block = b.target;
    other.mask = all & ~taken;
    other.block = b.next;
    w.splits.push_back(other);
    w.rival = 0;
  }
}

void branch_indexed(Warp& w, const Block& b) {
  if (split_off_idle(w, b) == 0) return void(w.splits[w.current].block = b.next);
  const Op& op = w.program->ops[b.end_op];
  const uint32_t* index = w.lanes<uint32_t>(op.a);
  const Split from = w.splits[w.current];
  uint32_t ways = 0;
  for (uint32_t left = from.mask; left;) {
    const uint32_t value = index[__builtin_ctz(left)];
    uint32_t same = 0;
    for (uint32_t i = 0; i < kLanes; ++i) {
      if ((left >> i & 1) && index[i] == value) same |= 1u << i;
    }
    if (value >= static_cast<uint64_t>(op.value))
      return raise(w, op, Fault::Kind::kInvalid, static_cast<uint32_t>(__builtin_ctz(left)), 0,
                   fmt::format("brx.idx with index {} of {} targets", value, op.value));
    Split way = from;
    way.mask = same;
    way.block = w.program->targets[b.target + value];
    if (ways++ == 0) w.splits[w.current] = way;
    else w.splits.push_back(way);
    left &= ~same;
  }
  if (w.rows) {
    auto& row = w.rows[op.row];
    row.taken_threads += count_bits(from.mask);
    if (ways > 1) {
      ++row.divergent_branches;
      row.divergent_threads += count_bits(from.mask);
    }
  }
  w.rival = 0;
}

void call(Warp& w, const Block& b) {
  if (split_off_idle(w, b) == 0) return void(w.splits[w.current].block = b.next);
  const Op& op = w.program->ops[b.end_op];
  const Call& info = w.program->calls[b.target];
  Split caller = w.splits[w.current];
  const auto lane = static_cast<uint32_t>(__builtin_ctz(caller.mask));
  uint32_t function = info.function;
  if (function == kNoBlock) {
    const uint64_t* address = w.lanes<uint64_t>(op.a);
    uint32_t same = 0;
    for (uint32_t i = 0; i < kLanes; ++i) {
      if ((caller.mask >> i & 1) && address[i] == address[lane]) same |= 1u << i;
    }
    if (same != caller.mask) {  // the others call later, from here again
      Split rest = caller;
      rest.mask &= ~same;
      w.splits.push_back(rest);
      caller.mask = same;
    }
    const uint64_t ptx = (address[lane] - kFunctionWindow) / 16;
    const auto& functions = w.program->functions;
    function = 0;
    for (uint32_t i = 1; i < functions.size(); ++i) {
      if (functions[i].ptx == ptx && address[lane] >= kFunctionWindow) function = i;
    }
    if (function == 0)
      return raise(w, op, address[lane] % 8 == 0 ? Fault::Kind::kInvalidPc : Fault::Kind::kMisaligned, lane,
                   address[lane], fmt::format("call of {:#x}, which is not a function", address[lane]));
  }
  const FunctionCode& code = w.program->functions[function];
  CallNode* from = caller.node;
  if (from->local_top + code.local_bytes > kLocalLimit || from->depth >= kDepthLimit)
    return raise(w, op, Fault::Kind::kStackOverflow, lane, 0,
                 fmt::format("stack overflow: {} calls deep, {} bytes of local memory", from->depth, from->local_top));
  grow_local(w, from->local_top + code.local_bytes);
  CallNode* node = add_node(w, from, function, caller.mask);
  node->resume = b.next;
  node->call = b.target;
  for (const auto& a : info.arguments)
    copy_local(w, caller.mask, from->local_base + a.from, node->local_base + a.to, a.bytes);
  caller.node = node;
  caller.block = code.entry;
  w.splits[w.current] = caller;
  w.rival = 0;
}

void exit_lanes(Warp& w, uint32_t lanes) {
  for (CallNode* node = w.node; node;) {
    CallNode* parent = node->parent;
    node->lanes &= ~lanes;
    if (node->lanes == 0 && parent) drop_node(w, node);
    node = parent;
  }
  w.live &= ~lanes;
  w.cta->exited += count_bits(lanes);
  if (w.checks) w.cta->cluster->grid->checker->threads_end(w, lanes);
  complete_barriers(*w.cta);
  if (w.cta->cluster->barrier_arrived) complete_cluster(*w.cta->cluster);
}

void leave(Warp& w, const Block& b) {
  const uint32_t on = split_off_idle(w, b);
  Split& s = w.splits[w.current];
  if (on == 0) return void(s.block = b.next);
  CallNode* node = s.node;
  w.rival = 0;
  if (b.end == End::kExit || !node->parent) {
    s.mask = 0;
    if (b.count == 0) w.left_at_once |= on;
    else if (b.guard == kNoSlot) w.cta->left_late += count_bits(on);
    return exit_lanes(w, on);
  }
  for (const auto& r : w.program->calls[node->call].results)
    copy_local(w, on, node->local_base + r.from, node->parent->local_base + r.to, r.bytes);
  s.node = node->parent;
  s.block = node->resume;
  node->lanes &= ~on;
  if (node->lanes == 0) drop_node(w, node);
}

void check_pass(Warp& w, const Block& b, const Op& op) {
  ThreadChecker& checker = *w.cta->cluster->grid->checker;
  const auto kind = static_cast<SyncKind>(b.sync);
  if (kind == SyncKind::kLanes) {
    const uint32_t named = member_masks(w, op)[__builtin_ctz(w.mask)];
    check_members(w, op, w.mask, named, named & w.splits[w.current].waited_for & ~w.mask & ~w.left_at_once);
    if (op.run == &run_nothing) checker.meet(w, w.mask);
  } else if (kind == SyncKind::kCluster) {
    checker.cluster_pass(w, op, w.mask);
  }
}

/// Runs the operation that a block ends in, for lanes that name the same members together, and goes on after it.
void pass(Warp& w, const Block& b, uint32_t lanes) {
  const Op& op = w.program->ops[b.end_op];
  for (uint32_t left = lanes; left; left &= ~w.mask) {
    w.mask = static_cast<SyncKind>(b.sync) == SyncKind::kLanes && !b.same_members ? group_of(w, op, left) : left;
    if (w.checks) check_pass(w, b, op);
    op.run(w, op);
  }
  Split& s = w.splits[w.current];
  s.block = b.next;
  s.waited_for = 0;
  s.state = SplitState::kReady;
}

void wait_for_lanes(Warp& w, const Block& b) {
  const Op& op = w.program->ops[b.end_op];
  Split& s = w.splits[w.current];
  for (Split& other : w.splits) {
    if (&other == &s || other.state != SplitState::kLanes || other.block != s.block || other.node != s.node) continue;
    s.mask |= other.mask;
    s.waited_for |= other.waited_for;
    other.mask = 0;
  }
  w.rival = 0;
  s.waited_for |= members(w, b, op, s.mask);
  if ((members(w, b, op, s.mask) & ~s.mask) == 0) return pass(w, b, s.mask);
  s.state = SplitState::kLanes;
}

void synchronise(Warp& w, const Block& b) {
  const uint32_t on = split_off_idle(w, b);
  Split& s = w.splits[w.current];
  if (on == 0) return void(s.block = b.next);
  const Op& op = w.program->ops[b.end_op];
  w.mask = on;
  switch (static_cast<SyncKind>(b.sync)) {
    case SyncKind::kLanes:
      if (w.splits.size() == 1 && (members(w, b, op, on) & ~on) == 0) return pass(w, b, on);
      return wait_for_lanes(w, b);
    case SyncKind::kBarrier:
      s.state = SplitState::kBarrier;
      s.barrier = w.lanes<uint32_t>(op.a)[__builtin_ctz(on)] & 15;
      arrive_barrier(w, op, true);
      w.rival = 0;
      return;
    case SyncKind::kWarpgroup:
      s.state = SplitState::kBarrier;
      s.barrier = static_cast<uint8_t>(kNamedBarriers + w.index / 4);
      arrive_warpgroup(w);
      w.rival = 0;
      return;
    case SyncKind::kArrive:
      arrive_barrier(w, op, false);
      s.block = b.next;
      return;
    case SyncKind::kCluster:
      if (w.cluster_phase <= w.cta->cluster->barrier_phase) return pass(w, b, on);
      s.state = SplitState::kCluster;
      w.rival = 0;
      return;
    case SyncKind::kYield: w.spin += kSpinLimit / 2; return pass(w, b, on);
  }
}

/// The current split loops without gaining anything: others of the warp first, then other warps.
bool spin(Warp& w) {
  w.spin = 0;
  bool others = false;
  for (uint32_t i = 0; i < w.splits.size(); ++i)
    others |= i != w.current && w.splits[i].mask && is_ready(w.splits[i]) && !w.splits[i].deferred;
  if (!others) return false;
  w.splits[w.current].deferred = true;
  w.rival = 0;
  return true;
}

}  // namespace

bool can_run(const Warp& w) {
  return std::any_of(w.splits.begin(), w.splits.end(), [](const Split& s) { return s.mask && is_ready(s); });
}

void start_warp(Warp& w) {
  w.live = w.threads;
  w.left_at_once = 0;
  w.spin = 0;
  w.cluster_phase = 0;
  w.faulted = false;
  w.nodes.clear();
  w.splits.clear();
  const uint32_t local = w.program->functions[0].local_bytes;
  if (w.local_bytes < local) grow_local(w, local);
  if (local) std::memset(w.local, 0, uint64_t{local} * kLanes);
}

WarpStop run_warp(Warp& w, bool force) {
  const Program& program = *w.program;
  Worker& worker = *w.worker;
  if (w.nodes.empty()) w.splits.push_back({w.live, program.functions[0].entry, add_node(w, nullptr, 0, w.live)});
  if (!choose(w) && !(release_lanes(w, force) && choose(w)))
    return w.splits.empty() ? WarpStop::kDone : WarpStop::kBlocked;
  for (;;) {
    Split* s = &w.splits[w.current];
    const uint32_t number = s->block;
    const Block& b = program.blocks[number];
    w.mask = s->mask;
    if (s->state == SplitState::kReleased) {
      pass(w, b, s->mask);
    } else {
      if (w.rows) {
        ++worker.block_runs[number];
        worker.block_lanes[number] += count_bits(s->mask);
      }
      worker.instructions += b.rows;
      const Op* op = program.ops.data() + b.first;
      for (const Op* end = op + b.count; op != end; ++op) op->run(w, *op);
      ++w.steps;
      if (!w.faulted) {
        switch (b.end) {
          case End::kNext: s->block = b.next; break;
          case End::kBranch: branch(w, b); break;
          case End::kIndexed: branch_indexed(w, b); break;
          case End::kReturn:
          case End::kExit: leave(w, b); break;
          case End::kCall: call(w, b); break;
          case End::kSync: synchronise(w, b); break;
        }
      }
    }
    if (w.faulted) return WarpStop::kFaulted;
    if ((++worker.steps & 0xfff) == 0 && !within_limits(w)) return WarpStop::kFaulted;
    const bool gives_way = w.gives_way;
    bool yields = false;
    if (gives_way) w.gives_way = false, w.spin = 0;
    else if (b.spin || w.spin >= kSpinLimit) yields = ++w.spin >= kSpinLimit && !spin(w);
    const Split& now = w.splits[w.current];
    if (now.mask == 0 || !is_ready(now) || (w.rival != ~uint64_t{0} && rank_of(w, now) >= w.rival)) {
      if (!choose(w) && !(release_lanes(w, false) && choose(w))) {
        if (!w.splits.empty()) return WarpStop::kBlocked;
        drop_node(w, w.nodes.front().get());
        return WarpStop::kDone;
      }
    }
    if (yields) return WarpStop::kSpinning;
    if (gives_way) return WarpStop::kGaveWay;
  }
}

}  // namespace warplens::simt::ptx_machine
