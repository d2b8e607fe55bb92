// The counts of ../access.h for a warp at once: the same numbers, by comparing all lanes with all others in vectors.
#pragma once
#include "warplens/base/set_bits.h"
#include "warplens/simt/lanes/vectors.h"
#include "warplens/simt/requests/count.h"

namespace warplens::simt::inline WARPLENS_ISA_NAME {

/// 32 values after a margin, so lane i - k can be read for any k.
struct alignas(64) Padded {
  uint32_t margin[kLanes];
  uint32_t at[kLanes];
};

/// A value that means no lane.
inline constexpr uint32_t kNobody = 0x80000000u;

/// How many lanes have a value that no earlier lane of their eight has. Values must not be kNobody.
inline __attribute__((always_inline)) uint32_t distinct_in_eights(Padded& v) {
  alignas(64) uint32_t repeats[kLanes] = {};
  for (uint32_t i = 0; i < kLanes; ++i) v.margin[i] = kNobody;
#pragma GCC unroll 4
  for (uint32_t k = 1; k < 8; ++k) {
    const uint32_t* shifted = v.at - k;
    for (uint32_t i = 0; i < kLanes; ++i) repeats[i] |= (shifted[i] == v.at[i]) & ((i & 7) >= k);
  }
  uint32_t count = kLanes;
  for (uint32_t i = 0; i < kLanes; ++i) count -= repeats[i];
  return count;
}

#if defined(__AVX512CD__)
inline __attribute__((always_inline)) Ints earlier_equals(Ints v) {
  return bits_as<Ints>(_mm512_maskz_conflict_epi32(0xffff, bits_as<__m512i>(v)));
}
/// Calls f(v turned by i lanes) for i from 0 to 15; no turn waits for more than six others.
template <typename F>
inline __attribute__((always_inline)) void each_turn(Ints v, F f) {
  for (int i = 0; i < 4; ++i) {
    Ints turned = v;
    for (int j = 0; j < 4; ++j) {
      f(turned);
      turned = __builtin_shufflevector(turned, turned, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0);
    }
    v = __builtin_shufflevector(v, v, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3);
  }
}
/// How many bits of 16-bit numbers are set.
inline __attribute__((always_inline)) Ints bit_counts(Ints x) {
  x = x - (x >> 1 & 0x5555);
  x = (x & 0x3333) + (x >> 2 & 0x3333);
  x = (x + (x >> 4)) & 0x0f0f;
  return (x + (x >> 8)) & 31;
}

/// f(f(v[0], v[1]), ...) for an f that minds no order.
template <typename F>
inline __attribute__((always_inline)) uint32_t folded(Ints v, F f) {
  v = f(v, __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
  v = f(v, __builtin_shufflevector(v, v, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3));
  v = f(v, __builtin_shufflevector(v, v, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1));
  v = f(v, __builtin_shufflevector(v, v, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0));
  return static_cast<uint32_t>(v[0]);
}
inline __attribute__((always_inline)) uint32_t largest(Ints v) {
  return folded(v, [](Ints a, Ints b) { return a > b ? a : b; });
}

/// Lanes whose value no earlier lane has.
inline __attribute__((always_inline)) uint32_t distinct_lanes(Ints low, Ints high) {
  const auto lows = bits_as<__m512i>(low), highs = bits_as<__m512i>(high),
             before_low = _mm512_maskz_alignr_epi32(0xffff, lows, lows, 15),
             before_high = _mm512_maskz_alignr_epi32(0xffff, highs, lows, 15);
  const uint32_t falls = (_mm512_cmplt_epi32_mask(lows, before_low) & 0xfffeu) |
                         static_cast<uint32_t>(_mm512_cmplt_epi32_mask(highs, before_high)) << 16;
  const uint32_t steps = _mm512_cmpneq_epi32_mask(lows, before_low) |
                         static_cast<uint32_t>(_mm512_cmpneq_epi32_mask(highs, before_high)) << 16;
  if (!falls) return steps | 1;
  const Ints again_low = earlier_equals(low) != 0;
  Ints again_high = earlier_equals(high) != 0;
  each_turn(low, [&](Ints others) { again_high |= high == others; });
  return ~(_mm512_movepi32_mask(bits_as<__m512i>(again_low)) |
           static_cast<uint32_t>(_mm512_movepi32_mask(bits_as<__m512i>(again_high))) << 16);
}
inline __attribute__((always_inline)) uint32_t distinct_lanes(const Padded& v) {
  return distinct_lanes(load<Ints>(v.at), load<Ints>(v.at + 16));
}
#else
/// Lanes whose value no earlier lane has.
inline uint32_t distinct_lanes(Padded& v) {
  alignas(64) uint32_t repeats[kLanes] = {};
  for (uint32_t i = 0; i < kLanes; ++i) v.margin[i] = kNobody;
  for (uint32_t k = 1; k < kLanes; ++k) {
    const uint32_t* shifted = v.at - k;
    for (uint32_t i = 0; i < kLanes; ++i) repeats[i] |= shifted[i] == v.at[i];
  }
  uint32_t lanes = 0;
  for (uint32_t i = 0; i < kLanes; ++i) lanes |= (repeats[i] ^ 1) << i;
  return lanes;
}
#endif

/// Row k has a one in byte k.
struct alignas(32) OneOf {
  uint8_t rows[kLanes][kLanes] = {};
  constexpr OneOf() {
    for (uint32_t k = 0; k < kLanes; ++k) rows[k][k] = 1;
  }
};
inline constexpr OneOf kOneOf;

/// The most distinct values that fall into one of `banks` classes (value modulo banks).
inline uint32_t busiest_bank(Padded& v, uint32_t banks) {
  using Counts = uint8_t __attribute__((vector_size(kLanes)));  // a byte a bank
  Counts counts[2] = {};
  const uint32_t lanes = distinct_lanes(v), last = banks - 1;
  const auto add = [&](Counts& sum, uint32_t lane) {
    Counts one;
    std::memcpy(&one, kOneOf.rows[v.at[lane] & last], sizeof one);
    sum += one;
  };
  if (lanes == kFull) {
    for (uint32_t i = 0; i < kLanes; i += 2) {
      add(counts[0], i);
      add(counts[1], i + 1);
    }
  } else {
    for (const uint32_t lane : set_bits(lanes)) add(counts[0], lane);
  }
  counts[0] += counts[1];
  uint8_t most = 0;
  for (uint32_t k = 0; k < kLanes; ++k) most = most > counts[0][k] ? most : counts[0][k];
  return most;
}

/// Lanes that meet at one value: how many values there are, and the most lanes of one.
struct Meetings {
  uint32_t distinct, most;
};
/// Each lane counts; those that shall not meet anybody have values of their own.
inline Meetings meetings(Padded& v) {
#if defined(__AVX512CD__)
  const Ints low = load<Ints>(v.at), high = load<Ints>(v.at + 16);
  const Ints before_low = bit_counts(earlier_equals(low));
  Ints before_high = bit_counts(earlier_equals(high));
  each_turn(low, [&](Ints others) { before_high -= high == others; });
  const Ints firsts = (before_low == 0) + (before_high == 0);
  return {0 - folded(firsts, [](Ints a, Ints b) { return a + b; }),
          largest(before_low > before_high ? before_low : before_high) + 1};
#else
  alignas(64) uint32_t before[kLanes] = {};
  for (uint32_t i = 0; i < kLanes; ++i) v.margin[i] = kNobody;
  for (uint32_t k = 1; k < kLanes; ++k) {
    const uint32_t* shifted = v.at - k;
    for (uint32_t i = 0; i < kLanes; ++i) before[i] += shifted[i] == v.at[i];
  }
  Meetings out{0, 0};
  for (uint32_t i = 0; i < kLanes; ++i) {
    out.distinct += before[i] == 0;
    out.most = before[i] > out.most ? before[i] : out.most;
  }
  return {out.distinct, out.most + 1};
#endif
}

/// Distinct 32-byte segments; accesses are aligned to their size, at most 32 bytes.
inline uint32_t sectors_of(const Address* a, uint32_t mask) {
  Padded v;
  const Address base = a[__builtin_ctz(mask)] >> 5;
  uint32_t far = 0, changes = 0, falls = 0;
  for (uint32_t i = 0; i < kLanes; ++i) {
    const Address sector = (mask >> i) & 1 ? a[i] >> 5 : base;
    const int64_t offset = static_cast<int64_t>(sector - base);
    v.at[i] = static_cast<uint32_t>(offset);
    far |= static_cast<uint32_t>(offset >= 0x40000000 || offset <= -0x40000000);
  }
  if (far) return 0;
  v.margin[kLanes - 1] = v.at[0];
  const uint32_t* before = v.at - 1;
  for (uint32_t i = 0; i < kLanes; ++i) {
    changes += before[i] != v.at[i];
    falls |= static_cast<int32_t>(before[i]) > static_cast<int32_t>(v.at[i]);
  }
  if (!falls) return changes + 1;  // in order: as many as there are steps
  return static_cast<uint32_t>(__builtin_popcount(distinct_lanes(v)));
}

/// True if lane i is at a[0] + i * stride for all 32 lanes.
inline __attribute__((always_inline)) bool strided(const Address* a, int64_t& stride) {
  stride = static_cast<int64_t>(a[1] - a[0]);
  uint64_t off = 0;
  for (uint32_t i = 0; i < kLanes; ++i) off |= a[i] ^ (a[0] + i * static_cast<uint64_t>(stride));
  return off == 0;
}

/// Distinct sectors of two ranges.
inline uint32_t sectors_of_two(Address a, uint64_t a_bytes, Address b, uint64_t b_bytes) {
  const Address a_first = a >> 5, a_last = (a + a_bytes - 1) >> 5, b_first = b >> 5, b_last = (b + b_bytes - 1) >> 5;
  const Address first = a_first > b_first ? a_first : b_first, last = a_last < b_last ? a_last : b_last;
  const Address both = first <= last ? last - first + 1 : 0;
  return static_cast<uint32_t>((a_last - a_first + 1) + (b_last - b_first + 1) - both);
}

/// Both halves of the warp are runs or single addresses (`Shape::kHalves`).
inline uint32_t sectors_of_halves(const Address* a, uint32_t size) {
  const uint64_t low = a[0] == a[1] ? size : 16 * size, high = a[16] == a[17] ? size : 16 * size;
  return sectors_of_two(a[0], low, a[16], high);
}

inline void count_global_lanes(InstructionCounts& row, const Address* a, uint32_t mask, uint32_t size,
                               bool halves = false) {
  int64_t stride;
  uint32_t sectors;
  if (halves) sectors = sectors_of_halves(a, size);
  else if (mask == kFull && strided(a, stride) && (stride >= 32 || stride <= -32) && size <= 32) sectors = kLanes;
  else sectors = sectors_of(a, mask);
  if (sectors == 0) return count_global(row, a, mask, size);
  count_request(row, uint64_t{size} * static_cast<uint32_t>(__builtin_popcount(mask)), sectors);
}

/// Passes of one group: units are 4, 8 or 16 bytes, and `banks` of them are given at once.
inline uint32_t group_passes(const Padded& units, uint32_t mask, uint32_t banks) {
  if (!mask) return 0;
  const uint32_t first = units.at[__builtin_ctz(mask)];
  Padded v;
  uint32_t same = 0;
  for (uint32_t i = 0; i < kLanes; ++i) v.at[i] = (mask >> i) & 1 ? units.at[i] : first;
  for (uint32_t i = 0; i < kLanes; ++i) same |= v.at[i] ^ first;
  return same == 0 ? 1 : busiest_bank(v, banks);
}

/// Two sets of consecutive words, each one word or 16: two passes when different words of them share a bank.
inline uint32_t passes_of_halves(const Address* a) {
  const int32_t low = a[0] == a[1] ? 1 : 16, high = a[16] == a[17] ? 1 : 16;
  const auto apart = static_cast<int32_t>((a[16] >> 2) - (a[0] >> 2)), nearest = ((apart + 16) & 31) - 16;
  return nearest >= 1 - high && nearest <= low - 1 && nearest != apart ? 2 : 1;
}

/// count_shared for accesses aligned to their size, at most 16 bytes.
inline void count_shared_lanes(InstructionCounts& row, const Address* a, uint32_t mask, uint32_t size,
                               bool halves = false, Joins joins = Joins::kByActive) {
  if (size > 16) return count_shared(row, a, mask, size, joins);
  const uint32_t shift = size <= 4 ? 2 : size == 8 ? 3 : 4;
  Padded units;
  for (uint32_t i = 0; i < kLanes; ++i) units.at[i] = static_cast<uint32_t>(a[i] >> shift);
  Wavefronts sum;
  int64_t stride;
  if (halves && size == 4) {
    sum = {passes_of_halves(a), 1};
  } else if (mask == kFull && size >= 4 && strided(a, stride) && stride != 0) {
    // Lanes that are a multiple of `banks` units apart share a bank: as many as the common power of two.
    const uint32_t groups = size / 4, banks = 32 / groups, step = static_cast<uint32_t>(stride >> shift) | banks;
    sum = {groups * (step & (0u - step)), groups};
  } else {
    each_bank_group(units.at, mask, size, joins, [&](uint32_t group) {
      sum.actual += group_passes(units, group, 128u >> shift);
      sum.ideal += 1;
    });
  }
  count_passes(row, sum, uint64_t{size} * static_cast<uint32_t>(__builtin_popcount(mask)));
}

/// count_local: in each group of 8 lanes, one sector a distinct word, for each of an access's words.
inline void count_local_lanes(InstructionCounts& row, const Address* a, uint32_t mask, uint32_t size) {
  if (mask != kFull) return count_local(row, a, mask, size);
  Padded words;
  for (uint32_t i = 0; i < kLanes; ++i) words.at[i] = static_cast<uint32_t>(a[i] >> 2);
  const uint32_t count = (size + 3) / 4;
  uint32_t same = 0;
  for (uint32_t i = 0; i < kLanes; ++i) same |= words.at[i] ^ words.at[0];
  if (count > 1 && same) return count_local(row, a, mask, size);
  count_request(row, uint64_t{size} * kLanes, same ? distinct_in_eights(words) : 4 * count);
}

}  // namespace warplens::simt::inline WARPLENS_ISA_NAME
