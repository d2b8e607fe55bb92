// Pseudo-random numbers for resampling, inputs and orders. Seeded by the caller, so that a result can be repeated.
#pragma once
#include <cmath>
#include <cstdint>

namespace warplens::bench {

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  /// A whole number in [0, n), by multiplication; the bias is under n / 2^32.
  uint32_t below(uint32_t n) { return static_cast<uint32_t>(((next() >> 32) * n) >> 32); }
  /// In [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  /// Standard normal, by Box and Muller.
  double normal() { return std::sqrt(-2 * std::log(1 - uniform())) * std::cos(6.283185307179586 * uniform()); }

 private:
  uint64_t state_;
};

}  // namespace warplens::bench
