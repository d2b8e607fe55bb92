#include "warplens/run/sass/reuse.h"

#include <algorithm>
#include <cmath>

namespace warplens::simt::sass_machine {

double Reuse::lost(double cache_sectors) const {
  const auto touches = static_cast<double>(clock_.load(std::memory_order_relaxed));
  double room = cache_sectors / kSample * touches;  // filled by every touch that does not come back within the time
  double later = touches, total = 0;                // touches that come back later than this bin, or never
  room -= later;                                    // the first unit of time
  for (size_t bits = 1; bits < all_.size(); ++bits) {
    const double width = std::ldexp(1.0, static_cast<int>(bits) - 1);  // from so many to twice as many
    const auto here = static_cast<double>(all_[bits].load(std::memory_order_relaxed));
    const double filled = width * (later - here / 2), within = filled > 0 ? std::clamp(room / filled, 0.0, 1.0) : 1;
    total += (1 - within) * static_cast<double>(loads_[bits].load(std::memory_order_relaxed));
    room -= filled;
    later -= here;
  }
  return total * kSample;
}

}  // namespace warplens::simt::sass_machine
