// How the lanes of a memory request lie to each other.
#pragma once
#include "warplens/emulator/lanes/access.h"
#include "warplens/sass/addresses.h"

namespace warplens::sass::inline WARPLENS_ISA_NAME {

namespace lanes = emulator::WARPLENS_ISA_NAME;

/// kRun: one behind the other, without holes; kOne: on one address; kHalves: all lanes are on, 0 to 15 and 16 to 31
/// each a run or on one address.
enum class Shape { kRun, kOne, kHalves, kScattered };
struct Request {
  Shape shape = Shape::kScattered;
  uint64_t begin = 0;  // of a run or of one address
  Span span{};
};

inline __attribute__((always_inline)) void look_at_halves(const Addresses& at, uint32_t size, Request& out) {
  const uint64_t *low = at.value, *high = at.value + 16;
  const lanes::Shape first = lanes::half_shape(low, size), second = lanes::half_shape(high, size);
  if (first == lanes::Shape::kScattered || second == lanes::Shape::kScattered) {
    out.shape = Shape::kScattered;
    out.span = span_of(at);
    return;
  }
  out.begin = low[0];
  if (first == lanes::Shape::kRun && second == first && high[0] == low[0] + uint64_t{16} * size) {
    out.shape = Shape::kRun;
    out.span = {low[0], high[15], low[0]};
    return;
  }
  const bool one = first == lanes::Shape::kUniform && second == first && high[0] == low[0];
  out.shape = one ? Shape::kOne : Shape::kHalves;
  out.span = {low[0] < high[0] ? low[0] : high[0], low[15] > high[15] ? low[15] : high[15], low[0] | high[0]};
}

/// Lanes that are not on go where the lowest that is on goes, but in a run. Filled in place: a copy of the request would
/// wait until its parts have reached memory.
inline __attribute__((always_inline)) void look_at(Addresses* at, uint32_t on, uint32_t size, Request& out) {
  if (on == kAll) return look_at_halves(*at, size, out);
  const auto first = static_cast<uint32_t>(__builtin_ctz(on)), last = 31 - static_cast<uint32_t>(__builtin_clz(on));
  const uint64_t begin = at->value[first], origin = begin - uint64_t{first} * size;
  uint64_t off = 0, apart = 0;
  for (uint32_t i = 0; i < kLanes; ++i) {
    const uint64_t mask = 0 - uint64_t{on >> i & 1};
    off |= (at->value[i] ^ (origin + uint64_t{i} * size)) & mask;
    apart |= (at->value[i] ^ begin) & mask;
  }
  out.begin = begin;
  const bool holes = static_cast<uint32_t>(__builtin_popcount(on)) != last - first + 1;
  if (apart == 0) {
    out.shape = Shape::kOne;
    out.span = {begin, begin, begin};
  } else if (off == 0 && !holes) {
    out.shape = Shape::kRun;
    out.span = {begin, begin + uint64_t{last - first} * size, begin};
  } else {
    out.shape = Shape::kScattered;
    fill_idle(at, on);
    out.span = span_of(*at);
  }
}

}  // namespace warplens::sass::inline WARPLENS_ISA_NAME
