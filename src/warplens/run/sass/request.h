// How the lanes of a memory request lie to each other.
#pragma once
#include "warplens/run/sass/addresses.h"
#include "warplens/simt/requests/shape.h"

namespace warplens::simt::sass_machine::inline WARPLENS_ISA_NAME {

/// kRun: one behind the other, without holes; kOne: on one address; kHalves: all lanes are on, 0 to 15 and 16 to 31
/// each a run or on one address.
enum class Shape { kRun, kOne, kHalves, kScattered };
struct Request {
  Shape shape = Shape::kScattered;
  uint64_t begin = 0;  // of a run or of one address
  Span span{};
};

/// Lanes that are at begin + lane * step; steps are powers of two, or 0.
inline __attribute__((always_inline)) uint32_t lanes_at(const Addresses& at, uint64_t begin, uint64_t step) {
  uint32_t out = 0;
#if defined(__AVX512F__)
  const Eight lane = {0, 1, 2, 3, 4, 5, 6, 7}, first = begin + lane * step;
  for (uint32_t i = 0; i < kLanes; i += 8) {
    const __m512i here = reinterpret_cast<__m512i>(*reinterpret_cast<const Eight*>(at.value + i)),
                  there = reinterpret_cast<__m512i>(first + i * step);
    out |= static_cast<uint32_t>(_mm512_cmpeq_epi64_mask(here, there)) << i;
  }
#else
  for (uint32_t i = 0; i < kLanes; ++i) out |= static_cast<uint32_t>(at.value[i] == begin + i * step) << i;
#endif
  return out;
}

inline __attribute__((always_inline)) void look_at_halves(const Addresses& at, uint32_t size, Request& out) {
  constexpr uint32_t kHalf = kAll << 16;
  const uint64_t *low = at.value, *high = at.value + 16;
  const uint32_t run = lanes_at(at, low[0], size);
  out.begin = low[0];
  if (run == kAll) {
    out.shape = Shape::kRun;
    out.span = {low[0], high[15], low[0]};
    return;
  }
  const uint32_t one = lanes_at(at, low[0], 0);
  if (one == kAll) {
    out.shape = Shape::kOne;
    out.span = {low[0], low[0], low[0]};
    return;
  }
  const bool first = (run & ~kHalf) == ~kHalf || (one & ~kHalf) == ~kHalf;
  if (!first ||
      ((lanes_at(at, high[0] - 16 * size, size) & kHalf) != kHalf && (lanes_at(at, high[0], 0) & kHalf) != kHalf)) {
    out.shape = Shape::kScattered;
    out.span = span_of(at);
    return;
  }
  out.shape = Shape::kHalves;
  out.span = {low[0] < high[0] ? low[0] : high[0], low[15] > high[15] ? low[15] : high[15], low[0] | high[0]};
}

/// Lanes that are not on go where the lowest that is on goes, but in a run. Filled in place: a copy of the request
/// would wait until its parts have reached memory.
inline __attribute__((always_inline)) void look_at(Addresses* at, uint32_t on, uint32_t size, Request& out) {
  if (on == kAll) return look_at_halves(*at, size, out);
  const auto first = static_cast<uint32_t>(__builtin_ctz(on)), last = 31 - static_cast<uint32_t>(__builtin_clz(on));
  const uint64_t begin = at->value[first], origin = begin - uint64_t{first} * size;
  out.begin = begin;
  const bool holes = static_cast<uint32_t>(__builtin_popcount(on)) != last - first + 1;
  if ((on & ~lanes_at(*at, begin, 0)) == 0) {
    out.shape = Shape::kOne;
    out.span = {begin, begin, begin};
  } else if (!holes && (on & ~lanes_at(*at, origin, size)) == 0) {
    out.shape = Shape::kRun;
    out.span = {begin, begin + uint64_t{last - first} * size, begin};
  } else {
    out.shape = Shape::kScattered;
    fill_idle(at, on);
    out.span = span_of(*at);
  }
}

}  // namespace warplens::simt::sass_machine::inline WARPLENS_ISA_NAME
