// Barriers of the block, with a reduction over its threads where one is asked for: BAR, B2R.
#include <bit>

#include "warplens/run/sass/checks/checker.h"
#include "warplens/run/sass/control/flow.h"
#include "warplens/run/sass/decoder.h"
#include "warplens/run/sass/lanes.h"
#include "warplens/run/sass/run.h"

namespace warplens::simt::sass_machine {
namespace {

enum : uint32_t { kSync, kArrive, kReduce };  // the low bits of Op::mode; from bit 2 on, the reduction
constexpr uint32_t kPacked = 16;              // one register holds the barrier's number and, from bit 16 on, the count
enum : uint32_t { kCount, kEvery, kAny };

/// Counts how many threads a named barrier waits for: all of the block, or those that the instruction names. A warp
/// comes with all its lanes that are here, or with none.
void bar(Warp& w, const Op& op, uint32_t on) {
  if (!on) return go_on(w);
  const uint32_t a = w.in(op.a)[std::countr_zero(w.active)], number = a & 15;
  Block::Barrier& barrier = w.block->barriers[number];
  const uint32_t expected = op.mode & kPacked ? a >> 16 : w.in(op.b)[std::countr_zero(w.active)];
  if (WarpChecker* checker = w.block->run->checker) checker->arrive(w, op, on, number, expected);
  barrier.expected = expected;
  barrier.arrived += static_cast<uint32_t>(std::popcount(w.active));
  w.block->begun_barriers |= 1u << number;
  const uint32_t kind = op.mode & 3;
  if (kind == kArrive) return go_on(w);
  if (kind == kReduce) {
    barrier.yes += static_cast<uint32_t>(std::popcount(w.value(op.p) & w.active));
    barrier.asked += static_cast<uint32_t>(std::popcount(w.active));
    w.reduced_at = number;
    w.reduced_by = op.mode >> 2 & 3;
  }
  Split until;
  until.state = Split::State::kBarrier;
  until.barrier = number;
  wait_until(w, until);
}
bool prepare_bar(Decoder& d, Op& op) {
  const Word& w = op.word;
  const uint32_t form = w.form(), kind = w.bits(77, 2), reduction = w.bits(74, 2);
  op.flow = true;
  op.a = form == 4 || form == 5 ? d.immediate(w.bits(54, 4)) : d.source(w.bits(32, 8));
  op.b = form == 2 || form == 5 ? d.immediate(w.bits(42, 12)) : d.source(w.bits(64, 8));
  if (!w.bit(80) && (form == 5 || form == 2) && w.bits(42, 12) == 0) op.b = d.immediate(0);
  op.mode = kind | reduction << 2 | (form == 1 ? kPacked : 0);
  op.run = bar;
  return kind <= kReduce && (kind != kReduce || reduction <= kAny);
}

/// What the warp's last reduction gave: how many threads said yes, and whether any or all did.
void reduction_result(Warp& w, const Op& op, uint32_t on) {
  const Block::Barrier& barrier = w.block->barriers[w.reduced_at];
  const bool yes = w.reduced_by == kEvery ? barrier.last_yes == barrier.last_asked : barrier.last_yes != 0;
  const uint32_t value = w.reduced_by == kCount ? barrier.last_yes : yes ? ~0u : 0;
  Lanes out;
  for (uint32_t& lane : out.value) lane = value;
  store(w.row(op.target), out, on);
  w.set(op.set0, yes ? kAll : 0, on);
}
bool prepare_b2r(Decoder&, Op& op) {
  op.run = reduction_result;
  return op.word.bits(77, 2) == kReduce;
}

}  // namespace

const Row kBarrierRows[] = {
    {Opcode::kB2r, prepare_b2r},
    {Opcode::kBar, prepare_bar},
    {Opcode::kUnknown, nullptr},
};

}  // namespace warplens::simt::sass_machine
