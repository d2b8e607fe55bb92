#include "warplens/run/sass/arithmetic/extremes.h"

#include <algorithm>
#include <array>

#include "warplens/run/sass/lanes.h"
#include "warplens/simt/lanes/half.h"

namespace warplens::simt::sass_machine {
namespace {

constexpr uint32_t kSign = 0x80000000u, kNan = 0x7fffffffu;

/// Bits 80 to 82 of the word.
struct Modifiers {
  bool flushes, nan, product_sign;
  explicit Modifiers(const Word& w) : flushes(w.bit(80)), nan(w.bit(81)), product_sign(w.bit(82)) {}
};

uint32_t flushed(uint32_t bits, uint32_t exponent, uint32_t sign) { return bits & exponent ? bits : bits & sign; }

/// -0 is less than +0.
bool is_less(float x, float y, uint32_t x_bits, uint32_t y_bits, uint32_t sign) {
  return x < y || (x == y && (x_bits & sign) > (y_bits & sign));
}

/// One format: `nan` is its canonical one, `widen` makes a float of bits.
template <typename F>
uint32_t extreme(uint32_t a, uint32_t b, uint32_t product_sign, bool smaller, const Modifiers& m, uint32_t sign,
                 uint32_t nan, F widen) {
  const float x = widen(a), y = widen(b);
  const bool a_nan = x != x, b_nan = y != y;
  if ((a_nan && b_nan) || (m.nan && (a_nan || b_nan))) return nan;
  const bool first = a_nan ? false : b_nan ? true : smaller ? is_less(x, y, a, b, sign) : !is_less(x, y, a, b, sign);
  const uint32_t r = first ? a : b;
  return m.product_sign ? (r & ~sign) | product_sign : r;
}

uint32_t single_extreme(uint32_t raw_a, uint32_t raw_b, const SignMask& sa, const SignMask& sb, bool smaller,
                        const Modifiers& m) {
  const auto flush = [&](uint32_t x) { return m.flushes ? flushed(x, 0x7f800000, kSign) : x; };
  const uint32_t a = flush(raw_a), b = flush(raw_b);
  return extreme(sa(a), sb(b), (a ^ b) & kSign, smaller, m, kSign, kNan, as_float);
}

uint32_t chosen(uint32_t bits, uint32_t swizzle, int half) {
  const int pick = swizzle == 2 ? 0 : swizzle == 3 ? 1 : half;
  return bits >> 16 * pick & 0xffff;
}

int32_t extreme_of(int32_t x, int32_t y, bool less) { return less ? std::min(x, y) : std::max(x, y); }

/// Two integers of 16 bits in a register.
struct Pairs {
  bool is_signed, relu;
  explicit Pairs(const Word& w) : is_signed(w.bit(72)), relu(w.bit(76)) {}
  int32_t wide(uint32_t bits) const {
    return is_signed ? int32_t{static_cast<int16_t>(bits)} : static_cast<int32_t>(bits & 0xffff);
  }
  int32_t half(uint32_t pair, int which) const { return wide(pair >> 16 * which); }
  uint32_t result(int32_t value, int which) const {
    return (static_cast<uint32_t>(relu ? std::max(value, 0) : value) & 0xffff) << 16 * which;
  }
};

}  // namespace

void float_extreme(Warp& w, const Op& op, uint32_t on) {
  const uint32_t *a = w.in(op.a), *b = w.in(op.b), smaller = w.value(op.p);
  const SignMask sa(op.a), sb(op.b);
  const Modifiers m(op.word);
  Lanes out;
  for (int i = 0; i < kLanes; ++i) out.value[i] = single_extreme(a[i], b[i], sa, sb, smaller >> i & 1, m);
  store(w.row(op.target), out, on);
}

void float_extreme_of_three(Warp& w, const Op& op, uint32_t on) {
  const uint32_t *a = w.in(op.a), *b = w.in(op.b), *c = w.in(op.c), smaller = w.value(op.p);
  const SignMask sa(op.a), sb(op.b), sc(op.c), as_it_is{Operand{}};
  const Modifiers m(op.word);
  Lanes out;
  for (int i = 0; i < kLanes; ++i) {
    const bool less = smaller >> i & 1;
    out.value[i] = single_extreme(single_extreme(a[i], b[i], sa, sb, less, m), c[i], as_it_is, sc, less, m);
  }
  store(w.row(op.target), out, on);
}

void half_extreme(Warp& w, const Op& op, uint32_t on) {
  const uint32_t *a = w.in(op.a), *b = w.in(op.b), smaller = w.value(op.p), form = op.word.form();
  const uint32_t pick_a = op.word.bits(74, 2), pick_b = form == 4 || form == 2 ? 0 : op.word.bits(60, 2);
  const Modifiers m(op.word);
  const bool bfloat = op.word.bit(85);
  const uint32_t exponent = bfloat ? 0x7f80 : 0x7c00;
  const auto one = [&](uint32_t x, uint32_t y, bool less) {
    if (m.flushes) {
      x = flushed(x, exponent, 0x8000);
      y = flushed(y, exponent, 0x8000);
    }
    const uint32_t sign = (x ^ y) & 0x8000;
    const auto with_sign = [](uint32_t h, const Operand& o) {
      return (o.absolute ? h & 0x7fff : h) ^ (o.negate ? 0x8000u : 0);
    };
    return extreme(with_sign(x, op.a), with_sign(y, op.b), sign, less, m, 0x8000, 0x7fff,
                   [&](uint32_t h) { return from_half(h, bfloat); });
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
  std::array<uint32_t, 2> first{};  // lanes whose a was chosen, or is equal: high halves, low ones
  for (int i = 0; i < kLanes; ++i) {
    const bool less = smaller >> i & 1;
    uint32_t chosen = 0;
    for (const int half : {0, 1}) {
      const int32_t x = pairs.half(a[i], half), y = pairs.half(b[i], half);
      first[1 - half] |= uint32_t{less ? x <= y : x >= y} << i;
      chosen |= pairs.result(extreme_of(extreme_of(x, y, less), pairs.half(c[i], half), less), half);
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
      chosen |= pairs.result(extreme_of(sum, pairs.half(c[i], half), smaller >> i & 1), half);
    }
    out.value[i] = chosen;
  }
  store(w.row(op.target), out, on);
}

}  // namespace warplens::simt::sass_machine
