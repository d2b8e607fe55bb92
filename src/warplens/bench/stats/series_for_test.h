// Series with known medians, as timings come: noise of several kinds, memory, drift.
#pragma once
#include <cmath>
#include <vector>

#include "warplens/base/random.h"

namespace warplens::bench {

enum class Noise { kNormal, kLogNormal, kCauchy, kBimodal };

/// One draw; the median of each is 0.
inline double draw(Noise noise, Random& random) {
  switch (noise) {
    case Noise::kNormal: return random.normal();
    case Noise::kLogNormal: return std::exp(random.normal()) - 1;
    case Noise::kCauchy: return std::tan(3.141592653589793 * (random.uniform() - 0.5));
    case Noise::kBimodal: {
      // Two modes, 65 % and 35 %; the median lies where the lower one has 50/65 of its mass below.
      const bool low = random.uniform() < 0.65;
      return (low ? 0 : 8) + random.normal() - 0.7363159;
    }
  }
  return 0;
}

/// `n` draws around 100 with scale 1.
inline std::vector<double> independent_series(Noise noise, size_t n, Random& random) {
  std::vector<double> out;
  for (size_t i = 0; i < n; ++i) out.push_back(100 + draw(noise, random));
  return out;
}

/// x[i] = phi x[i-1] + e, around 100: the memory of a clock that wanders.
inline std::vector<double> autoregressive_series(double phi, size_t n, Random& random) {
  std::vector<double> out;
  double x = random.normal() / std::sqrt(1 - phi * phi);
  for (size_t i = 0; i < n; ++i) {
    out.push_back(100 + x);
    x = phi * x + random.normal();
  }
  return out;
}

}  // namespace warplens::bench
