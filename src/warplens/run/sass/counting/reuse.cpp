#include "warplens/run/sass/counting/reuse.h"

#include <algorithm>
#include <cmath>

#include "warplens/model/constants.h"

namespace warplens::simt::sass_machine {

double Reuse::fresh_rate() const {
  static_assert(kAnswerCycles == model::kDramCycles);
  const auto fresh = static_cast<double>(fresh_);
  return fresh > 0 ? fresh / (fresh + static_cast<double>(old_)) : 0;
}

double Reuse::lost(double cache_lines) const {
  // Lines come in at the rate of touches that do not come back within the time that is told.
  double room = cache_lines / kSample * static_cast<double>(end_);
  auto later = static_cast<double>(touches_ - all_[0]);
  double total = 0;
  room -= later;  // the first cycle
  for (size_t bin = 1; bin < all_.size(); ++bin) {
    const double width = std::ldexp(1.0 / kParts, static_cast<int>((bin - 1) / kParts));
    const auto here = static_cast<double>(all_[bin]);
    const double filled = width * (later - here / 2);
    const double within = filled > 0 ? std::clamp(room / filled, 0.0, 1.0) : 1;
    total += (1 - within) * static_cast<double>(loads_[bin]);
    room -= filled;
    later -= here;
  }
  return total * kSample;
}

}  // namespace warplens::simt::sass_machine
