// Confidence intervals from a circular block bootstrap, which keeps the order of nearby samples and so respects
// autocorrelation (Politis and Romano, 1992).
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace warplens::bench {

struct BootstrapOptions {
  double alpha = 0.05;  // one minus the confidence
  double trim = 0.5;    // 0.5: the median; less: the mean after this share is cut from each end
  size_t resamples = 400;
  uint64_t seed = 0x77a2;
  double resolution = 0;    // the timer's step: an interval is never narrower than it
  size_t block_length = 0;  // 0: chosen from the series
};

struct Estimate {
  double value = 0, low = 0, high = 0;
  size_t samples = 0, block_length = 1;
  /// Half the interval's width over the value; infinite for a value of 0.
  double relative_half_width() const;
};

/// The estimate of `samples`, in the order in which they were taken. All zeros when empty.
Estimate estimate(std::span<const double> samples, const BootstrapOptions& options = {});

/// How far log(median of b / median of a) lies from 0, for two series taken apart from each other.
Estimate log_ratio_of_medians(std::span<const double> a, std::span<const double> b,
                              const BootstrapOptions& options = {});

}  // namespace warplens::bench
