// Minima and maxima of integers, on the lanes' registers and on the uniform ones.
#include "warplens/run/sass/arithmetic/extremes.h"
#include "warplens/run/sass/arithmetic/pair_integers.h"
#include "warplens/run/sass/decoder.h"
#include "warplens/run/sass/lanes.h"
#include "warplens/simt/lanes/extremes.h"

namespace warplens::simt::sass_machine::inline WARPLENS_ISA_NAME {
namespace {

constexpr uint32_t kSignedOrder = 1, kAddFirst = 2, kOfThree = 4, kAtLeastZero = 8;

template <typename T>
void minimum_maximum(Warp& w, const Op& op, uint32_t on) {
  const uint32_t *a = w.in(op.a), *b = w.in(op.b), *c = w.in(op.c);
  const uint32_t smaller = w.value(op.p);
  const bool add = op.mode & kAddFirst, three = op.mode & kOfThree, relu = op.mode & kAtLeastZero;
  const uint32_t minus = op.b.negate ? ~0u : 0;
  Lanes out;
  for (int i = 0; i < kLanes; ++i) {
    const T left = static_cast<T>(add ? a[i] + ((b[i] ^ minus) - minus) : a[i]),
            right = static_cast<T>(add ? c[i] : b[i]);
    const bool greater = !(smaller >> i & 1);
    T best = simt::extreme(left, right, greater);
    if (three) best = simt::extreme(best, static_cast<T>(c[i]), greater);
    if (relu && static_cast<int32_t>(best) < 0) best = 0;
    out.value[i] = static_cast<uint32_t>(best);
  }
  store(w.row(op.target), out, on);
}
void imnmx(Warp& w, const Op& op, uint32_t on) {
  if (op.mode & kSignedOrder) return minimum_maximum<int32_t>(w, op, on);
  minimum_maximum<uint32_t>(w, op, on);
}
/// Since sm_120, of four bytes each.
template <typename T>
void byte_extreme(Warp& w, const Op& op, uint32_t on) {
  const uint32_t *a = w.in(op.a), *b = w.in(op.b), smaller = w.value(op.p);
  Lanes out;
  for (int i = 0; i < kLanes; ++i) {
    out.value[i] = 0;
    for (int shift = 0; shift < 32; shift += 8) {
      const T best = simt::extreme(static_cast<T>(a[i] >> shift), static_cast<T>(b[i] >> shift), !(smaller >> i & 1));
      out.value[i] |= uint32_t{static_cast<uint8_t>(best)} << shift;
    }
  }
  store(w.row(op.target), out, on);
}
bool prepare_byte_extreme(Decoder& d, Op& op) {
  d.operands(op);
  op.run = op.word.bit(72) ? byte_extreme<int8_t> : byte_extreme<uint8_t>;
  return !op.word.bit(76) && (op.set0 & 7) == 7 && (op.set1 & 7) == 7;
}
bool prepare_imnmx(Decoder& d, Op& op) {
  if (is_pair_extreme(d, op)) return prepare_pair_extreme(d, op);
  d.operands(op);
  op.mode = op.word.bit(73);
  op.run = imnmx;
  op.native = Native::kExtreme;
  return true;
}
bool prepare_vimnmx(Decoder& d, Op& op) {
  if (op.word.bits(73, 2)) return false;  // pairs of 16 bits
  d.operands(op);
  op.mode = op.word.bit(72) | (op.word.bit(76) ? kAtLeastZero : 0);
  op.run = imnmx;
  return true;
}
/// Of pairs, predicates can say where the first source was chosen.
bool prepare_vimnmx_or_pairs(Decoder& d, Op& op) {
  constexpr uint64_t kBytes = 2;
  if (op.word.bits(73, 2) == kBytes) return prepare_byte_extreme(d, op);
  if (op.word.bits(73, 2) != 1) {
    if (!prepare_vimnmx(d, op) || (op.set0 & 7) != 7 || (op.set1 & 7) != 7) return false;
    op.native = op.mode & kAtLeastZero ? Native::kNone : Native::kExtreme;
    return true;
  }
  d.operands(op);
  op.c = op.b;
  op.run = pair_extreme;
  return true;
}
/// The middle source has its sign where the last one of other instructions has it, when that is the immediate.
bool prepare_viaddmnmx(Decoder& d, Op& op) {
  if (op.word.bits(73, 2) == 1) {
    d.operands(op);
    op.run = pair_sum_extreme;
    return !op.word.negates_b() && !op.word.negates_c();
  }
  if (!prepare_vimnmx(d, op)) return false;
  op.b.negate = op.word.negates_b();
  op.mode |= kAddFirst;
  return !op.word.negates_c();
}
bool prepare_vimnmx3(Decoder& d, Op& op) {
  if (op.word.bits(73, 2) == 1) {
    d.operands(op);
    op.run = pair_extreme;
    return true;
  }
  if (!prepare_vimnmx(d, op)) return false;
  op.mode |= kOfThree;
  return true;
}

}  // namespace

const Row kIntegerExtremeRows[] = {
    {Opcode::kVimnmx3, prepare_vimnmx3},
    {Opcode::kImnmx, prepare_imnmx},
    {Opcode::kViaddmnmx, prepare_viaddmnmx},
    {Opcode::kVimnmx, prepare_vimnmx_or_pairs},
    {Opcode::kUimnmx, prepare_imnmx},
    {Opcode::kUvimnmx, prepare_vimnmx},
    {Opcode::kUnknown, nullptr},
};

}  // namespace warplens::simt::sass_machine::inline WARPLENS_ISA_NAME
