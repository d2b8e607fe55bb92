// Pseudo-random numbers for resampling, inputs, orders and schedules. Seeded by the caller, so that a result can be
// repeated.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace warplens {

/// The step and the output function of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014). Number i of a seed is
/// splitmix(seed + (i + 1) * kSplitMixStep).
inline constexpr uint64_t kSplitMixStep = 0x9e3779b97f4a7c15u;
inline uint64_t splitmix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}
/// In [0, 1).
inline double unit_interval(uint64_t random) { return static_cast<double>(random >> 11) * 0x1p-53; }

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t next() { return splitmix(state_ += kSplitMixStep); }
  /// A whole number in [0, n), by multiplication; the bias is under n / 2^32.
  uint32_t below(uint32_t n) { return static_cast<uint32_t>(((next() >> 32) * n) >> 32); }
  /// In [0, 1).
  double uniform() { return unit_interval(next()); }
  /// Standard normal, by Box and Muller.
  double normal() { return std::sqrt(-2 * std::log(1 - uniform())) * std::cos(6.283185307179586 * uniform()); }

 private:
  uint64_t state_;
};

template <typename T>
void shuffle(std::vector<T>& values, uint64_t seed) {
  Random random(seed);
  for (size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[random.next() % i]);
}

}  // namespace warplens
