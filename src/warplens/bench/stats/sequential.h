// Sampling until the answer is known well enough, with the confidence corrected for looking often.
#pragma once
#include <cstddef>
#include <vector>

#include "warplens/bench/stats/bootstrap.h"

namespace warplens::bench {

struct StoppingOptions {
  double confidence = 0.95;
  double target = 0.01;  // stop when half the interval is at most this share of the value
  size_t min_samples = 20;
  size_t max_samples = 2000;
};

/// When to look at the samples: at min_samples, then each time half as many more, last at max_samples. Each look uses
/// an equal share of the error allowed, so that all of them together keep the confidence (Bonferroni).
class LookSchedule {
 public:
  explicit LookSchedule(const StoppingOptions& options);
  /// Samples wanted before the next look; the number of the last look if there is none.
  size_t next() const { return looks_[taken_ < looks_.size() ? taken_ : looks_.size() - 1]; }
  bool last() const { return taken_ + 1 >= looks_.size(); }
  void advance() { ++taken_; }
  size_t taken() const { return taken_; }
  double alpha_per_look() const { return alpha_; }

 private:
  std::vector<size_t> looks_;
  size_t taken_ = 0;
  double alpha_;
};

}  // namespace warplens::bench
