// A small generator for schedules: the same order from the same seed everywhere.
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace warplens::simt::ptx_machine {

/// SplitMix64.
inline uint64_t next_random(uint64_t& state) {
  uint64_t z = state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

template <typename T>
void shuffle(std::vector<T>& values, uint64_t seed) {
  for (size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[next_random(seed) % i]);
}

}  // namespace warplens::simt::ptx_machine
