#include "warplens/sass/reuse.h"

#include <algorithm>
#include <cmath>

namespace warplens::sass {

double Reuse::lost(double cache_sectors, double share) const {
  const double limit = cache_sectors / (kSample * std::max(share, 1e-3));  // in watched touches
  double total = 0;
  for (size_t bits = 1; bits < distances_.size(); ++bits) {
    const double from = std::ldexp(1.0, static_cast<int>(bits) - 1);  // as many up to twice as many
    const double beyond = std::clamp((2 * from - limit) / from, 0.0, 1.0);
    total += beyond * static_cast<double>(distances_[bits].load(std::memory_order_relaxed));
  }
  return total * kSample;
}

}  // namespace warplens::sass
