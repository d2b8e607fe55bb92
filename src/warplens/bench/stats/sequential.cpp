#include "warplens/bench/stats/sequential.h"

#include <algorithm>

namespace warplens::bench {

LookSchedule::LookSchedule(const StoppingOptions& options) {
  const size_t first = std::max<size_t>(options.min_samples, 2), end = std::max(options.max_samples, first);
  for (size_t n = first; n < end; n += std::max<size_t>(1, n / 2)) looks_.push_back(n);
  if (looks_.size() > 1 && end - looks_.back() < looks_.back() / 4) looks_.pop_back();
  looks_.push_back(end);
  alpha_ = (1 - options.confidence) / static_cast<double>(looks_.size());
}

}  // namespace warplens::bench
