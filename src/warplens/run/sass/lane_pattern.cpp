#include "warplens/run/sass/lane_pattern.h"

#include <algorithm>

namespace warplens::simt::sass_machine {
namespace {

constexpr uint32_t kHalf = kLanes / 2;
constexpr int64_t kVectorBytes = 64;

/// False where it takes more than two vectors.
bool find_window(const uint32_t* distance, uint32_t size, uint32_t* words, int64_t* start, int64_t* second) {
  const auto at = [&](uint32_t lane) { return static_cast<int32_t>(distance[lane]); };
  int32_t low = at(0), high = at(0);
  uint32_t all = 0;
  for (uint32_t i = 0; i < kHalf; ++i) {
    low = std::min(low, at(i));
    high = std::max(high, at(i));
    all |= distance[i];
  }
  const int64_t bytes = int64_t{high} - low + size;
  if (bytes > 2 * kVectorBytes || all % size != 0) return false;
  *start = low;
  *second = bytes > kVectorBytes ? kVectorBytes : 0;
  for (uint32_t i = 0; i < kHalf; ++i) words[i] = (distance[i] - static_cast<uint32_t>(low)) / 4;
  return true;
}

}  // namespace

void find_windows(uint32_t size, LanePattern* p) {
  p->loads = p->stores = false;
  for (uint32_t half : {0, 1}) {
    const uint32_t first = half * kHalf;
    if (!find_window(p->distance + first, size, p->words + first, &p->starts[half], &p->seconds[half])) return;
  }
  const auto end = [&](int half) { return p->starts[half] + p->seconds[half] + kVectorBytes; };
  p->begin = std::min(p->starts[0], p->starts[1]);
  p->size_bytes = std::max(end(0), end(1)) - p->begin;
  for (int64_t& start : p->starts) start -= p->begin;
  p->loads = p->stores = true;
  for (uint32_t i = 0; i < kLanes; ++i) p->stores &= p->words[i] == i % kHalf * size / 4;
}

void learn_pattern(Warp& w, const Op& op) {
  constexpr int64_t kMostPatience = 1 << 30;
  LanePattern& pattern = w.patterns[op.access];
  const uint32_t* const a = w.in(op.a);
  for (uint32_t i = 0; i < kLanes; ++i) pattern.distance[i] = a[i] - a[0];
  find_windows(op.size_bytes, &pattern);
  pattern.patience = std::min(2 * pattern.patience, kMostPatience);
  pattern.until_learned = pattern.patience;
}

}  // namespace warplens::simt::sass_machine
