// How the lanes of a memory request lie to each other, which decides how it is served and counted; both machines ask
// here.
#pragma once
#include <bit>
#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include "warplens/simt/lanes/values.h"
#include "warplens/simt/memory/memory.h"

namespace warplens::simt {

struct alignas(64) Addresses {
  Address value[kLanes];
};

/// The lowest and the highest address of the lanes that are on, and the bits set in any of them.
struct Span {
  Address low, high, any;
};

/// kRun: consecutive, without holes; kGapped: the same, but lanes between the first and the last are off; kOne: on one
/// address; kHalves: all lanes are on, 0 to 15 and 16 to 31 each a run or on one address.
enum class Shape { kRun, kGapped, kOne, kHalves, kScattered };
struct Request {
  Shape shape = Shape::kScattered;
  Address begin = 0;  // of a run, or the one address
  Span span{};
};

}  // namespace warplens::simt

namespace warplens::simt::inline WARPLENS_ISA_NAME {

/// Calls `write` with the lanes of `mask` in an order that leaves the same value at each address as on an H200. A store
/// of up to 4 bytes a lane is done at once and the lowest lane wins. Wider ones take two halves or four quarters of the
/// warp, one after another.
template <typename F>
inline __attribute__((always_inline)) void in_store_order(uint32_t mask, uint32_t size_bytes, F write) {
  const uint32_t width = size_bytes <= 4 ? kLanes : 4 * kLanes / size_bytes;
  const uint32_t group = width == kLanes ? kFull : (1u << width) - 1;
  for (uint32_t first = 0; first < kLanes; first += width) {
    for (uint32_t part = mask & group << first; part;) {
      const uint32_t lane = 31 - static_cast<uint32_t>(__builtin_clz(part));
      part &= ~(1u << lane);
      write(lane);
    }
  }
}

using Eight = uint64_t __attribute__((vector_size(64)));  // addresses, in one register where there are such

/// Lanes that are at begin + lane * step; steps are powers of two, or 0.
inline __attribute__((always_inline)) uint32_t lanes_at(const Addresses& at, Address begin, uint64_t step) {
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

/// Lanes that are not on go where the lowest that is on goes.
inline __attribute__((always_inline)) void fill_idle(Addresses* at, uint32_t on) {
  const Address first = at->value[std::countr_zero(on)];
  for (uint32_t i = 0; i < kLanes; ++i) at->value[i] = on >> i & 1 ? at->value[i] : first;
}

inline __attribute__((always_inline)) Span span_of(const Addresses& at) {
  Address low = at.value[0], high = low, any = 0;
  for (uint32_t i = 0; i < kLanes; ++i) {
    low = at.value[i] < low ? at.value[i] : low;
    high = at.value[i] > high ? at.value[i] : high;
    any |= at.value[i];
  }
  return {low, high, any};
}
inline __attribute__((always_inline)) Span span_of(const Addresses& at, uint32_t on) {
  if (on == kFull) return span_of(at);
  Addresses filled = at;
  fill_idle(&filled, on);
  return span_of(filled);
}

inline __attribute__((always_inline)) void look_at_halves(const Addresses& at, uint32_t size_bytes, Request& out) {
  constexpr uint32_t kHigh = kFull << 16;
  const Address *low = at.value, *high = at.value + 16;
  const uint32_t run = lanes_at(at, low[0], size_bytes);
  out.begin = low[0];
  if (run == kFull) {
    out.shape = Shape::kRun;
    out.span = {low[0], high[15], low[0]};
    return;
  }
  const uint32_t one = lanes_at(at, low[0], 0);
  if (one == kFull) {
    out.shape = Shape::kOne;
    out.span = {low[0], low[0], low[0]};
    return;
  }
  const bool first = (run & ~kHigh) == ~kHigh || (one & ~kHigh) == ~kHigh;
  if (!first || ((lanes_at(at, high[0] - 16 * size_bytes, size_bytes) & kHigh) != kHigh &&
                 (lanes_at(at, high[0], 0) & kHigh) != kHigh)) {
    out.shape = Shape::kScattered;
    out.span = span_of(at);
    return;
  }
  out.shape = Shape::kHalves;
  out.span = {low[0] < high[0] ? low[0] : high[0], low[15] > high[15] ? low[15] : high[15], low[0] | high[0]};
}

/// Inactive lanes get the address of the lowest active one, unless the active ones are a run or on one address. Filled
/// in place: a copy of the request would wait until its parts have reached memory.
inline __attribute__((always_inline)) void look_at(Addresses* at, uint32_t on, uint32_t size_bytes, Request& out) {
  if (on == kFull) return look_at_halves(*at, size_bytes, out);
  const auto first = static_cast<uint32_t>(std::countr_zero(on)),
             last = 31 - static_cast<uint32_t>(std::countl_zero(on));
  const Address begin = at->value[first], origin = begin - uint64_t{first} * size_bytes;
  out.begin = begin;
  if ((on & ~lanes_at(*at, begin, 0)) == 0) {
    out.shape = Shape::kOne;
    out.span = {begin, begin, begin};
    return;
  }
  if ((on & ~lanes_at(*at, origin, size_bytes)) == 0) {
    out.span = {begin, begin + uint64_t{last - first} * size_bytes, begin};
    const bool holes = static_cast<uint32_t>(std::popcount(on)) != last - first + 1;
    out.shape = holes ? Shape::kGapped : Shape::kRun;
    if (holes) fill_idle(at, on);
    return;
  }
  out.shape = Shape::kScattered;
  fill_idle(at, on);
  out.span = span_of(*at);
}

}  // namespace warplens::simt::inline WARPLENS_ISA_NAME
