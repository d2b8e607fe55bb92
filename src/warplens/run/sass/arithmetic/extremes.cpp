#include "warplens/run/sass/arithmetic/extremes.h"

#include <array>

#include "warplens/run/sass/lanes.h"
#include "warplens/simt/lanes/extremes.h"

namespace warplens::simt::sass_machine {
namespace {

constexpr uint32_t kSign = 0x80000000u;

/// Bits 80 to 82 of the word: kFtz, kNanResult, kXorSign.
uint32_t flags_of(const Word& w) {
  return (w.bit(80) ? kFtz : 0) | (w.bit(81) ? kNanResult : 0) | (w.bit(82) ? kXorSign : 0);
}

uint32_t single_extreme(uint32_t raw_a, uint32_t raw_b, const SignMask& sa, const SignMask& sb, bool smaller,
                        uint32_t flags) {
  const auto source = [&](uint32_t x) { return flags & kFtz ? as_bits(simt::flush(as_float(x))) : x; };
  const uint32_t a = source(raw_a), b = source(raw_b);
  return as_bits(simt::extreme_by(as_float(sa(a)), as_float(sb(b)), !smaller, (a ^ b) & kSign, flags));
}

uint32_t chosen(uint32_t bits, uint32_t swizzle, int half) {
  const int pick = swizzle == 2 ? 0 : swizzle == 3 ? 1 : half;
  return bits >> 16 * pick & 0xffff;
}

/// Two integers of 16 bits in a register.
struct Pairs {
  bool is_signed, relu;
  explicit Pairs(const Word& w) : is_signed(w.bit(72)), relu(w.bit(76)) {}
  int32_t wide(uint32_t bits) const {
    return is_signed ? int32_t{static_cast<int16_t>(bits)} : static_cast<int32_t>(bits & 0xffff);
  }
  int32_t half(uint32_t pair, int which) const { return wide(pair >> 16 * which); }
  uint32_t result(int32_t value, int which) const {
    return (static_cast<uint32_t>(relu ? simt::at_least_zero(value) : value) & 0xffff) << 16 * which;
  }
};

}  // namespace

void float_extreme(Warp& w, const Op& op, uint32_t on) {
  const uint32_t *a = w.in(op.a), *b = w.in(op.b), smaller = w.value(op.p);
  const SignMask sa(op.a), sb(op.b);
  const uint32_t flags = flags_of(op.word);
  Lanes out;
  for (int i = 0; i < kLanes; ++i) out.value[i] = single_extreme(a[i], b[i], sa, sb, smaller >> i & 1, flags);
  store(w.row(op.target), out, on);
}

void float_extreme_of_three(Warp& w, const Op& op, uint32_t on) {
  const uint32_t *a = w.in(op.a), *b = w.in(op.b), *c = w.in(op.c), smaller = w.value(op.p);
  const SignMask sa(op.a), sb(op.b), sc(op.c), as_it_is{Operand{}};
  const uint32_t flags = flags_of(op.word);
  Lanes out;
  for (int i = 0; i < kLanes; ++i) {
    const bool less = smaller >> i & 1;
    out.value[i] = single_extreme(single_extreme(a[i], b[i], sa, sb, less, flags), c[i], as_it_is, sc, less, flags);
  }
  store(w.row(op.target), out, on);
}

void half_extreme(Warp& w, const Op& op, uint32_t on) {
  const uint32_t *a = w.in(op.a), *b = w.in(op.b), smaller = w.value(op.p), form = op.word.form();
  const uint32_t pick_a = op.word.bits(74, 2), pick_b = form == 4 || form == 2 ? 0 : op.word.bits(60, 2);
  const uint32_t flags = flags_of(op.word);
  const bool bfloat = op.word.bit(85);
  const auto one = [&](uint32_t x, uint32_t y, bool less) {
    x = bfloat ? simt::flushed_if<simt::Bf16>(x, flags) : simt::flushed_if<simt::F16>(x, flags);
    y = bfloat ? simt::flushed_if<simt::Bf16>(y, flags) : simt::flushed_if<simt::F16>(y, flags);
    const uint32_t sign = (x ^ y) & 0x8000;
    const auto with_sign = [](uint32_t h, const Operand& o) {
      return (o.absolute ? h & 0x7fff : h) ^ (o.negate ? 0x8000u : 0);
    };
    const uint32_t a_bits = with_sign(x, op.a), b_bits = with_sign(y, op.b);
    return bfloat ? simt::half_extreme_by<simt::Bf16>(a_bits, b_bits, !less, sign, flags)
                  : simt::half_extreme_by<simt::F16>(a_bits, b_bits, !less, sign, flags);
  };
  Lanes out;
  for (int i = 0; i < kLanes; ++i) {
    const bool less = smaller >> i & 1;
    out.value[i] = one(chosen(a[i], pick_a, 0), chosen(b[i], pick_b, 0), less) |
                   one(chosen(a[i], pick_a, 1), chosen(b[i], pick_b, 1), less) << 16;
  }
  store(w.row(op.target), out, on);
}

void pair_extreme(Warp& w, const Op& op, uint32_t on) {
  const uint32_t *a = w.in(op.a), *b = w.in(op.b), *c = w.in(op.c), smaller = w.value(op.p);
  const Pairs pairs(op.word);
  Lanes out;
  std::array<uint32_t, 2> first{};  // lanes whose a was chosen, or is equal: low halves, high ones
  for (int i = 0; i < kLanes; ++i) {
    const bool less = smaller >> i & 1;
    uint32_t chosen = 0;
    for (const uint32_t half : {0u, 1u}) {
      const int32_t x = pairs.half(a[i], half), y = pairs.half(b[i], half);
      first[half] |= uint32_t{less ? x <= y : x >= y} << i;
      chosen |= pairs.result(simt::extreme(simt::extreme(x, y, !less), pairs.half(c[i], half), !less), half);
    }
    out.value[i] = chosen;
  }
  store(w.row(op.target), out, on);
  if (op.opcode != Opcode::kVimnmx) return;
  w.set(op.set0, first[0], on);
  w.set(op.set1, first[1], on);
}

void pair_sum_extreme(Warp& w, const Op& op, uint32_t on) {
  const uint32_t *a = w.in(op.a), *b = w.in(op.b), *c = w.in(op.c), smaller = w.value(op.p);
  const Pairs pairs(op.word);
  Lanes out;
  for (int i = 0; i < kLanes; ++i) {
    uint32_t chosen = 0;
    for (const int half : {0, 1}) {
      const int32_t sum = pairs.wide((a[i] >> 16 * half) + (b[i] >> 16 * half));
      chosen |= pairs.result(simt::extreme(sum, pairs.half(c[i], half), !(smaller >> i & 1)), half);
    }
    out.value[i] = chosen;
  }
  store(w.row(op.target), out, on);
}

}  // namespace warplens::simt::sass_machine
