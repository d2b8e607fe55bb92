#include "warplens/run/sass/control/flow.h"

#include <algorithm>
#include <bit>

#include "warplens/base/set_bits.h"
#include "warplens/base/text.h"
#include "warplens/isa/sass/disassemble.h"
#include "warplens/model/constants.h"
#include "warplens/run/sass/decoder.h"
#include "warplens/run/sass/lanes.h"
#include "warplens/run/sass/run.h"

namespace warplens::simt::sass_machine {
namespace {

/// Distance of a branch in instructions.
int64_t distance(const Word& word, int architecture) { return sass::branch_distance(word, architecture) / 16; }

/// Lanes that left a convergence barrier are not waited for there by those that come later.
void forget_at_barrier(Warp& w, uint32_t barrier, uint32_t gone) {
  for (int i = 0; i < kLanes; ++i) {
    if (!(gone >> i & 1)) w.sync_lanes[barrier][static_cast<size_t>(i)] &= ~gone;
  }
}

/// Of the lanes that wait at a WARPSYNC, those go on whose others have all come; lanes that name the same others, as
/// one.
bool join_named(Warp& w, uint32_t pc) {
  const auto here = [&](const Split& s) { return s.state == Split::State::kWarpSync && s.pc == pc; };
  uint32_t arrived = 0;
  for (const Split& s : w.splits) arrived |= here(s) ? s.lanes : 0;
  std::vector<Split> free;
  std::erase_if(w.splits, [&](const Split& s) {
    if (!here(s) || (s.wanted & w.live & ~arrived)) return false;
    const auto same = std::find_if(free.begin(), free.end(), [&](const Split& f) { return f.wanted == s.wanted; });
    if (same != free.end()) same->lanes |= s.lanes;
    else free.push_back({.pc = pc, .lanes = s.lanes, .wanted = s.wanted});
    return true;
  });
  w.splits.insert(w.splits.end(), free.begin(), free.end());
  return !free.empty();
}

/// Lanes that wait at a convergence barrier for the same others as a split does, and that split: they go on as one
/// where all have come. False where some are missing. Nobody waits for lanes that yielded: found on an H200.
bool join_those_like(Warp& w, const Split& split) {
  if (split.state == Split::State::kWarpSync) return join_named(w, split.pc);
  const uint32_t pc = split.pc, wanted = split.wanted, barrier = split.barrier;
  const auto with = [&](const Split& s) { return s.state == Split::State::kSync && s.pc == pc && s.wanted == wanted; };
  uint32_t arrived = 0;
  for (const Split& s : w.splits) arrived |= with(s) ? s.lanes : 0;
  const uint32_t missing = wanted & w.live & ~arrived;
  if (missing & ~w.yielded) return false;
  if (missing) forget_at_barrier(w, barrier, arrived);
  std::erase_if(w.splits, with);
  w.splits.push_back({pc, arrived});
  return true;
}

/// All who wait, after lanes have ended, left or yielded.
void join_waiting(Warp& w) {
  for (size_t i = 0; i < w.splits.size(); ++i) {
    const Split& one = w.splits[i];
    if (one.state != Split::State::kSync && one.state != Split::State::kWarpSync) continue;
    if (join_those_like(w, one)) i = static_cast<size_t>(-1);
  }
}

void wait_at_barrier(Warp& w, uint32_t barrier, uint32_t wanted) {
  Split& split = w.splits[w.current];
  split = {.pc = w.next, .lanes = w.active, .state = Split::State::kSync, .wanted = wanted, .barrier = barrier};
  w.current = w.splits.size();
  join_those_like(w, split);
}

void go(Warp& w, const Op& op, uint32_t taken) {
  const uint32_t target = branch_target(op, w.block->run->ops.size());
  const uint32_t rest = w.active & ~taken;
  if (!taken) return go_on(w);
  if (!rest) return keep_current(w, target, taken);
  keep_current(w, w.next, rest);
  w.splits.push_back({target, taken});
}

void count_branch(Warp& w, uint32_t taken) {
  w.count->taken_threads += static_cast<uint32_t>(std::popcount(taken));
  if (taken && taken != w.active) {
    ++w.count->divergent_branches;
    w.count->divergent_threads += static_cast<uint32_t>(std::popcount(w.active));
  }
}

void bra(Warp& w, const Op& op, uint32_t on) {
  const uint32_t taken = on & w.value(op.p);
  count_branch(w, taken);
  go(w, op, taken);
}
/// All lanes go where one does.
void bra_any(Warp& w, const Op& op, uint32_t on) {
  const uint32_t taken = on & w.value(op.p) ? w.active : 0;
  count_branch(w, taken);
  go(w, op, taken);
}
/// All lanes take BRA.DIV when not all lanes of a mask came together with a guard that holds, and BRA.CONV when they
/// did. The guard tells lanes whose masks are alike (R2UR's predicate), so lanes of several masks never vote as one.
template <bool kTogether>
void bra_by_mask(Warp& w, const Op& op, uint32_t on) {
  const uint32_t mask = w.in(op.a)[w.some_lane()] & w.live;
  const uint32_t taken = ((on & mask) == mask) == kTogether ? w.active : 0;
  count_branch(w, taken);
  go(w, op, taken);
}
/// BRA.U: by a uniform predicate, by any lane's, or by both.
bool prepare_uniform_bra(Op& op) {
  const bool uniform = op.word.form() == 2, any = op.word.bit(84);
  if (uniform) op.p = {static_cast<uint8_t>(kUniformPredicates + op.word.bits(24, 3)), op.word.bit(27)};
  if (any) op.run = bra_any;
  return uniform || any || op.word.bits(84, 3) == 0;
}
bool prepare_bra(Decoder& d, Op& op) {
  op.flow = true;
  const uint32_t kind = op.word.bits(32, 2);
  op.offset = distance(op.word, d.program().architecture);
  op.a = d.uniform(op.word.bits(24, 8));
  op.run = kind == 3 ? bra_by_mask<true> : kind == 2 ? bra_by_mask<false> : bra;
  op.native = kind == 0 ? Native::kBranch : Native::kNone;
  if (kind == 1) return prepare_uniform_bra(op);
  if (kind == 0 && op.word.bit(91)) return false;
  return true;
}

void trap(Warp& w, const Op&, uint32_t on) {
  if (on) return w.block->fail(Stop::Kind::kTrap, "the kernel trapped");
  go_on(w);
}
bool prepare_bpt(Decoder&, Op& op) {
  constexpr uint32_t kTrap = 3;  // others are break points of debuggers
  op.flow = true;
  op.run = trap;
  return op.word.bits(84, 3) == kTrap;
}

void exit_lanes(Warp& w, const Op& op, uint32_t on) {
  const uint32_t gone = on & w.value(op.p);
  if (!gone) return go_on(w);
  w.live &= ~gone;
  if (gone == w.active && w.splits.size() == 1) return w.splits.clear();
  keep_current(w, w.next, w.active & ~gone);
  std::erase_if(w.splits, [](const Split& s) { return s.lanes == 0; });
  leave(w);
}
bool prepare_exit(Decoder&, Op& op) {
  op.flow = true;
  op.run = exit_lanes;
  return true;
}

void bssy(Warp& w, const Op& op, uint32_t on) {
  w.yielded &= ~w.active;
  auto& lanes = w.sync_lanes[op.mode];
  if (on == kAll) return lanes.fill(w.active);
  for (int i = 0; i < kLanes; ++i)
    lanes[static_cast<size_t>(i)] = on >> i & 1 ? w.active : lanes[static_cast<size_t>(i)];
}
void bsync(Warp& w, const Op& op, uint32_t on) {
  const uint32_t here = on & w.value(op.p);
  if (!here) return go_on(w);
  const uint32_t wanted = w.sync_lanes[op.mode][static_cast<size_t>(std::countr_zero(here))];
  if ((wanted & w.live & ~w.active) == 0) return go_on(w);
  wait_at_barrier(w, op.mode, wanted);
}
/// Lanes that leave a region from its middle: those that wait at its end, and nowhere else, wait for them no longer.
void break_out(Warp& w, const Op& op, uint32_t on) {
  const uint32_t gone = on & w.value(op.p);
  if (gone) {
    for (uint32_t& lanes : w.sync_lanes[op.mode]) lanes &= ~gone;
    for (Split& s : w.splits) {
      if (s.state == Split::State::kSync && s.barrier == op.mode) s.wanted &= ~gone | s.lanes;
    }
  }
  keep_current(w, w.next, w.active);
  join_waiting(w);
  w.current = w.splits.size();
}
bool prepare_bssy(Decoder&, Op& op) {
  op.mode = op.word.bits(16, 4);
  op.native = op.guarded ? Native::kNone : Native::kBeginRegion;
  op.run = bssy;
  return true;
}
bool prepare_bsync(Decoder&, Op& op) {
  op.flow = true;
  op.mode = op.word.bits(16, 4);
  op.native = op.guarded || (op.p.index & 7) != 7 || op.p.inverted ? Native::kNone : Native::kEndRegion;
  op.run = bsync;
  return true;
}
bool prepare_break(Decoder&, Op& op) {
  op.flow = true;
  op.mode = op.word.bits(16, 4);
  op.run = break_out;
  return true;
}

void bmov_out(Warp& w, const Op& op, uint32_t on) {
  Lanes out;
  for (int i = 0; i < kLanes; ++i) out.value[i] = w.sync_lanes[op.mode][static_cast<size_t>(i)];
  store(w.row(op.target), out, on);
}
void bmov_in(Warp& w, const Op& op, uint32_t on) {
  const uint32_t* b = w.in(op.b);
  auto& lanes = w.sync_lanes[op.mode];
  for (int i = 0; i < kLanes; ++i) {
    if (on >> i & 1) lanes[static_cast<size_t>(i)] = b[i];
  }
}
bool prepare_bmov_out(Decoder&, Op& op) {
  op.mode = op.word.bits(24, 4);
  op.run = bmov_out;
  return true;
}
bool prepare_bmov_in(Decoder& d, Op& op) {
  op.mode = op.word.bits(24, 4);
  op.b = d.source(op.word.bits(32, 8));
  op.run = bmov_in;
  return true;
}

/// Lanes wait for those that their mask names. With EXCLUSIVE or COLLECTIVE, lanes of one mask then go on without the
/// others: what comes next writes a register of the whole warp, or is for the lanes of one mask.
void warpsync(Warp& w, const Op& op, uint32_t) {
  Lanes named;
  copy_lanes(named.value, w.in(op.a));
  const auto with = [&](uint32_t mask) {
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < kLanes; ++i) lanes |= static_cast<uint32_t>(named.value[i] == mask) << i;
    return lanes & w.active;
  };
  uint32_t any = 0;
  bool sound = true;  // CUDA leaves open what a mask without the lane itself does
  for (const uint32_t lane : set_bits(w.active)) {
    any |= named.value[lane];
    sound &= named.value[lane] >> lane & 1;
  }
  const bool apart = sound && op.mode != 0 && with(named.value[std::countr_zero(w.active)]) != w.active;
  if (!apart && (any & w.live & ~w.active) == 0) return go_on(w);
  w.splits.erase(w.splits.begin() + static_cast<std::ptrdiff_t>(w.current));
  for (uint32_t left = w.active; left;) {
    const uint32_t mask = named.value[std::countr_zero(left)], lanes = with(mask);
    w.splits.push_back({.pc = w.next, .lanes = lanes, .state = Split::State::kWarpSync, .wanted = mask});
    left &= ~lanes;
  }
  w.current = w.splits.size();
  join_named(w, w.next);
}
bool prepare_warpsync(Decoder& d, Op& op) {
  op.flow = true;
  op.run = warpsync;
  const bool before_90 = d.program().architecture < 90;
  op.mode = before_90 ? op.word.bit(86) : op.word.bits(85, 2);  // EXCLUSIVE, COLLECTIVE
  const uint32_t mask = op.word.bits(32, 32);
  op.a = op.word.form() == 4 ? d.immediate(mask ? mask : kAll) : d.source(op.word.bits(before_90 ? 32 : 24, 8));
  return op.word.form() == 4 || op.word.form() == 1;
}

void nothing(Warp&, const Op&, uint32_t) {}
bool prepare_nothing(Decoder&, Op& op) {
  op.run = nothing;
  return true;
}
/// A fence of the GPU waits until stores of its warp have reached L2.
void fence_after_stores(Warp& w, const Op&, uint32_t on) {
  if (on && w.block->run->counted) w.clock->wait(static_cast<uint64_t>(model::kFenceCycles));
}
/// Is there a store or reduction to device memory in the code between the fence before this one and this one?
bool comes_after_stores(const Program& program, size_t fence) {
  for (size_t k = fence; k-- > 0 && program.at(k).opcode != Opcode::kMembar;) {
    const sass::Access access = program.at(k).access;
    if (access == sass::Access::kGlobalStore || access == sass::Access::kReduction) return true;
  }
  return false;
}
bool prepare_membar(Decoder& d, Op& op) {
  const bool of_gpu = op.word.bit(77);  // .GPU, .SYS; else .CTA
  op.run = of_gpu && comes_after_stores(d.program(), op.index) ? fence_after_stores : nothing;
  return true;
}
void nanosleep(Warp& w, const Op&, uint32_t) {
  keep_current(w, w.next, w.active);
  rotate_split(w);
  w.yields = true;
}
bool prepare_nanosleep(Decoder&, Op& op) {
  op.flow = true;
  op.run = nanosleep;
  return true;
}
/// The current split goes behind all others, and those that wait for it alone wait no longer.
void yield(Warp& w, const Op&, uint32_t) {
  keep_current(w, w.next, w.active);
  w.yields = true;
  if (w.splits.size() < 2) return;  // nobody waits, and nobody will have to go on without these
  w.yielded |= w.active;
  std::rotate(w.splits.begin() + static_cast<std::ptrdiff_t>(w.current),
              w.splits.begin() + static_cast<std::ptrdiff_t>(w.current) + 1, w.splits.end());
  const Split own = w.splits.back();
  w.splits.pop_back();
  join_waiting(w);
  w.splits.push_back(own);
  w.current = w.splits.size();
}
bool prepare_yield(Decoder&, Op& op) {
  op.flow = true;
  op.run = yield;
  return true;
}

}  // namespace

bool prepare_direct_call(Decoder& d, Op& op) {
  prepare_bra(d, op);
  op.run = bra;
  op.native = Native::kBranch;
  op.p = {};
  return true;
}

void leave(Warp& w) {
  w.current = w.splits.size();
  join_waiting(w);
}

void keep_current(Warp& w, uint32_t pc, uint32_t lanes) {
  Split& split = w.splits[w.current];
  split.pc = pc;
  split.lanes = lanes;
  split.state = Split::State::kReady;
}

void wait_until(Warp& w, const Split& until) {
  Split& split = w.splits[w.current];
  split = until;
  split.pc = w.next;
  split.lanes = w.active;
  w.current = w.splits.size();
}

uint32_t name_no_others(Warp& w) {
  const auto lanes_that = [&](auto holds) {
    uint32_t lanes = 0;
    for (const Split& s : w.splits) lanes |= holds(s) ? s.lanes : 0;
    return lanes;
  };
  const uint32_t elsewhere = lanes_that([](const Split& s) { return s.state == Split::State::kSync; });
  for (size_t i = 0; i < w.splits.size(); ++i) {
    const uint32_t pc = w.splits[i].pc;
    const auto here = [&](const Split& s) { return s.state == Split::State::kWarpSync && s.pc == pc; };
    if (!here(w.splits[i])) continue;
    const uint32_t missing = w.splits[i].wanted & w.live & ~lanes_that(here);
    if (missing == 0 || (missing & ~elsewhere) != 0) continue;
    for (Split& s : w.splits) s.wanted &= here(s) ? ~missing : ~0u;
    if (join_named(w, pc)) return missing;
  }
  return 0;
}

const Row kFlowRows[] = {
    {Opcode::kNop, prepare_nothing},
    {Opcode::kEndcollective, prepare_nothing},
    {Opcode::kBsync, prepare_bsync},
    {Opcode::kBreak, prepare_break},
    {Opcode::kBssy, prepare_bssy},
    {Opcode::kYield, prepare_yield},
    {Opcode::kBra, prepare_bra},
    {Opcode::kWarpsync, prepare_warpsync},
    {Opcode::kExit, prepare_exit},
    {Opcode::kBpt, prepare_bpt},
    {Opcode::kBmovOut, prepare_bmov_out},
    {Opcode::kBmovIn, prepare_bmov_in},
    {Opcode::kNanosleep, prepare_nanosleep},
    {Opcode::kCctl, prepare_nothing},
    {Opcode::kMembar, prepare_membar},
    {Opcode::kErrbar, prepare_nothing},
    {Opcode::kCgaerrbar, prepare_nothing},
    {Opcode::kFence, prepare_nothing},
    {Opcode::kUnknown, nullptr},
};

}  // namespace warplens::simt::sass_machine
