#include "warplens/run/sass/counting/reuse.h"

#include <algorithm>
#include <cmath>

#include "warplens/model/constants.h"

namespace warplens::simt::sass_machine {

double Reuse::fresh_rate() const {
  static_assert(kAnswerCycles == model::kDramCycles);
  const auto fresh = static_cast<double>(fresh_.load(std::memory_order_relaxed)),
             old = static_cast<double>(old_.load(std::memory_order_relaxed));
  return fresh > 0 ? fresh / (fresh + old) : 0;
}

double Reuse::lost(double cache_granules) const {
  const auto load = [](const std::atomic<uint64_t>& value) {
    return static_cast<double>(value.load(std::memory_order_relaxed));
  };
  // Granules come in at the rate of touches that do not come back within the time that is told.
  double room = cache_granules / kSample * load(end_);
  double later = load(touches_) - load(all_[0]), total = 0;
  room -= later;  // the first cycle
  for (size_t bin = 1; bin < all_.size(); ++bin) {
    const double width = std::ldexp(1.0 / kParts, static_cast<int>((bin - 1) / kParts));
    const double here = load(all_[bin]), filled = width * (later - here / 2);
    const double within = filled > 0 ? std::clamp(room / filled, 0.0, 1.0) : 1;
    total += (1 - within) * load(loads_[bin]);
    room -= filled;
    later -= here;
  }
  return total * kSample;
}

}  // namespace warplens::simt::sass_machine
