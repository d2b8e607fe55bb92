// Addresses of a warp's memory instruction: where they lie, whether they form one run, whether they may be touched.
#pragma once
#include "warplens/simt/lanes/values.h"
#include "warplens/simt/memory/fits.h"
#include "warplens/simt/memory/memory.h"

namespace warplens::simt::inline WARPLENS_ISA_NAME {

/// Calls `write` with the lanes of `mask` in an order whose last writer of an address is the one whose value stays on
/// an H200: a store of up to 4 bytes a lane goes through at once and the lowest lane wins; wider ones go in two halves
/// or four quarters of the warp, one after another.
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

/// kHalves: lanes 0 to 15 and 16 to 31 are each a run or all at one address (full masks only).
enum class Shape { kRun, kUniform, kHalves, kScattered };

struct alignas(64) Addresses {
  Address at[kLanes];
};

inline __attribute__((always_inline)) Shape half_shape(const Address* at, uint32_t step) {
  uint64_t run = 0, same = 0;
  for (uint32_t i = 0; i < kLanes / 2; ++i) {
    run |= at[i] ^ (at[0] + uint64_t{i} * step);
    same |= at[i] ^ at[0];
  }
  return run == 0 ? Shape::kRun : same == 0 ? Shape::kUniform : Shape::kScattered;
}

/// kRun: lane i is at `base + i * step`; kUniform: all at `base`. Lanes outside the mask do not matter.
inline __attribute__((always_inline)) Shape shape_of(const Addresses& a, uint32_t mask, uint32_t step, Address& base) {
  if (mask == kFull) {
    base = a.at[0];
    const Shape low = half_shape(a.at, step), high = half_shape(a.at + 16, step);
    if (low == Shape::kScattered || high == Shape::kScattered) return Shape::kScattered;
    if (low == Shape::kRun && high == Shape::kRun && a.at[16] == base + uint64_t{16} * step) return Shape::kRun;
    if (low == Shape::kUniform && high == Shape::kUniform && a.at[16] == base) return Shape::kUniform;
    return Shape::kHalves;
  }
  const uint32_t first = static_cast<uint32_t>(__builtin_ctz(mask));
  const Address start = a.at[first], origin = start - uint64_t{first} * step;
  uint64_t run = 0, same = 0;
  for (uint32_t i = 0; i < kLanes; ++i) {
    const uint64_t on = (mask >> i) & 1 ? ~uint64_t{0} : 0;
    run |= (a.at[i] ^ (origin + uint64_t{i} * step)) & on;
    same |= (a.at[i] ^ start) & on;
  }
  base = run == 0 ? origin : start;
  return run == 0 ? Shape::kRun : same == 0 ? Shape::kUniform : Shape::kScattered;
}

/// The lowest and highest address of the lanes of the mask, and the bits set in any of them.
struct Extent {
  Address low, high, any;
};
inline __attribute__((always_inline)) Extent extent_of(const Addresses& a, uint32_t mask) {
  alignas(64) Address low[kLanes], high[kLanes];
  if (mask == kFull) {
    for (uint32_t i = 0; i < kLanes; ++i) low[i] = high[i] = a.at[i];
  } else {
    for (uint32_t i = 0; i < kLanes; ++i) {
      const Address off = Address{(mask >> i) & 1} - 1;
      low[i] = a.at[i] | off;
      high[i] = a.at[i] & ~off;
    }
  }
  Address any = 0, least = low[0], most = high[0];
  for (uint32_t i = 0; i < kLanes; ++i) any |= high[i];
  for (uint32_t i = 0; i < kLanes; ++i) least = least < low[i] ? least : low[i];
  for (uint32_t i = 0; i < kLanes; ++i) most = most > high[i] ? most : high[i];
  return {least, most, any};
}

/// Whether `step` bytes at each lane's address are aligned to their size and lie below `limit`.
inline __attribute__((always_inline)) bool all_fit(const Addresses& a, uint32_t mask, uint32_t step, Shape shape,
                                                   uint64_t limit) {
  if (shape == Shape::kScattered) {
    const Extent extent = extent_of(a, mask);
    return (extent.any & (step - 1)) == 0 && fits(extent.high, step, limit);
  }
  // The ends of a run tell. A half is all in the mask.
  const uint32_t first = static_cast<uint32_t>(__builtin_ctz(mask)),
                 last = 31 - static_cast<uint32_t>(__builtin_clz(mask));
  const auto both = [&](Address low, Address high) {
    return (low & (step - 1)) == 0 && fits(low, step, limit) && fits(high, step, limit);
  };
  if (shape == Shape::kHalves) return both(a.at[0], a.at[15]) && both(a.at[16], a.at[31]);
  return both(a.at[first], a.at[last]);
}

inline __attribute__((always_inline)) bool without_holes(uint32_t mask) {
  const uint32_t shifted = mask >> __builtin_ctz(mask);
  return (shifted & (shifted + 1)) == 0;
}

}  // namespace warplens::simt::inline WARPLENS_ISA_NAME
