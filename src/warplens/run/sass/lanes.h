// Applying a function to 32 lanes. The loops are written for the compiler to vectorise.
#pragma once
#include <bit>
#include <cmath>
#include <cstring>

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include "warplens/run/sass/op.h"
#include "warplens/simt/lanes/values.h"

namespace warplens::simt::sass_machine::inline WARPLENS_ISA_NAME {

inline float as_float(uint32_t bits) { return std::bit_cast<float>(bits); }
inline uint32_t as_bits(float value) { return std::bit_cast<uint32_t>(value); }

/// Half of the lanes as the compiler keeps them in registers: copied so, results need no memory in between.
/// A typedef, as clang would leave `aligned` out of an alias.
typedef uint32_t Sixteen __attribute__((vector_size(64), aligned(4), may_alias));
static_assert(alignof(Sixteen) == alignof(uint32_t));

inline __attribute__((always_inline)) void copy_lanes(uint32_t* to, const uint32_t* from) {
  *reinterpret_cast<Sixteen*>(to) = *reinterpret_cast<const Sixteen*>(from);
  *reinterpret_cast<Sixteen*>(to + 16) = *reinterpret_cast<const Sixteen*>(from + 16);
}

/// Writes the lanes of `on` and leaves the others.
inline __attribute__((always_inline)) void store(uint32_t* to, const Lanes& from, uint32_t on) {
  if (on == kAll) return copy_lanes(to, from.value);
#if defined(__AVX512F__)
  const Sixteen low = *reinterpret_cast<const Sixteen*>(from.value),
                high = *reinterpret_cast<const Sixteen*>(from.value + 16);
  // Writes whole rows: a reader of a masked store would wait until it reaches memory.
  _mm512_storeu_si512(
      to, _mm512_mask_mov_epi32(_mm512_loadu_si512(to), static_cast<__mmask16>(on), reinterpret_cast<__m512i>(low)));
  _mm512_storeu_si512(to + 16, _mm512_mask_mov_epi32(_mm512_loadu_si512(to + 16), static_cast<__mmask16>(on >> 16),
                                                     reinterpret_cast<__m512i>(high)));
#else
  for (int i = 0; i < kLanes; ++i) {
    const uint32_t mask = 0u - (on >> i & 1);
    to[i] = (to[i] & ~mask) | (from.value[i] & mask);
  }
#endif
}

/// Applies Op::known.
inline void load_known(Warp& w, const Op& op, uint32_t on) {
  for (const KnownRow *known = op.known, *end = known + op.known_count; known != end; ++known) {
    Lanes lanes;
    for (uint32_t& lane : lanes.value) lane = known->value;
    store(w.row(known->row), lanes, on | known->always);
  }
}

/// Bit i set where lane i of `lanes` is not 0.
inline __attribute__((always_inline)) uint32_t mask_of(const Lanes& lanes) {
#if defined(__AVX512F__)
  const auto low = reinterpret_cast<__m512i>(*reinterpret_cast<const Sixteen*>(lanes.value)),
             high = reinterpret_cast<__m512i>(*reinterpret_cast<const Sixteen*>(lanes.value + 16));
  return static_cast<uint32_t>(_mm512_test_epi32_mask(low, low)) |
         static_cast<uint32_t>(_mm512_test_epi32_mask(high, high)) << 16;
#else
  uint32_t mask = 0;
  for (int i = 0; i < kLanes; ++i) mask |= static_cast<uint32_t>(lanes.value[i] != 0) << i;
  return mask;
#endif
}

/// Lane i of `first` where bit i is set, else of `second`.
inline __attribute__((always_inline)) Lanes choose(uint32_t bits, const Lanes& first, const Lanes& second) {
  Lanes out = second;
  store(out.value, first, bits);
  return out;
}

/// Sign operations of a floating-point operand, applied to raw bits.
struct SignMask {
  uint32_t keep, flip;
  explicit SignMask(const Operand& o) : keep(o.absolute ? 0x7fffffffu : kAll), flip(o.negate ? 0x80000000u : 0) {}
  uint32_t operator()(uint32_t bits) const { return (bits & keep) ^ flip; }
};

/// target = f(a, b, c) on raw 32-bit words with floating-point sign modifiers.
template <typename F>
inline __attribute__((always_inline)) void map_signed(Warp& w, const Op& op, uint32_t on, F f) {
  const uint32_t *a = w.in(op.a), *b = w.in(op.b), *c = w.in(op.c);
  const SignMask sa(op.a), sb(op.b), sc(op.c);
  Lanes out;
  for (int i = 0; i < kLanes; ++i) out.value[i] = f(sa(a[i]), sb(b[i]), sc(c[i]));
  store(w.row(op.target), out, on);
}

/// target = f(a, b, c) on raw 32-bit words.
template <typename F>
inline __attribute__((always_inline)) void map(Warp& w, const Op& op, uint32_t on, F f) {
  const uint32_t *a = w.in(op.a), *b = w.in(op.b), *c = w.in(op.c);
  Lanes out;
  for (int i = 0; i < kLanes; ++i) out.value[i] = f(a[i], b[i], c[i]);
  store(w.row(op.target), out, on);
}

/// The pair target, target+1 = f(i) as 64 bits.
template <typename F>
inline __attribute__((always_inline)) void map_pair(Warp& w, const Op& op, uint32_t on, F f) {
  Lanes low, high;
  for (int i = 0; i < kLanes; ++i) {
    const uint64_t value = f(i);
    low.value[i] = static_cast<uint32_t>(value);
    high.value[i] = static_cast<uint32_t>(value >> 32);
  }
  store(w.row(op.target), low, on);
  store(w.row(op.target) + kLanes, high, on);
}

/// Lane `i` of a 64-bit operand: two rows.
inline uint64_t wide(const uint32_t* rows, int i) { return rows[i] | static_cast<uint64_t>(rows[i + kLanes]) << 32; }
inline double wide_double(const uint32_t* rows, int i, const Operand& o) {
  uint64_t bits = wide(rows, i);
  if (o.absolute) bits &= ~(uint64_t{1} << 63);
  if (o.negate) bits ^= uint64_t{1} << 63;
  return std::bit_cast<double>(bits);
}

/// How a compare's result meets the predicate at bits 87..90: and, or, xor.
inline uint32_t combine(uint32_t mode, uint32_t lanes, uint32_t with) {
  return mode == 0 ? lanes & with : mode == 1 ? lanes | with : lanes ^ with;
}

}  // namespace warplens::simt::sass_machine::inline WARPLENS_ISA_NAME
