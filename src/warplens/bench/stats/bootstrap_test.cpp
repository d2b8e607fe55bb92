#include "warplens/bench/stats/bootstrap.h"

#include <gtest/gtest.h>

#include <functional>

#include "warplens/bench/stats/block_length.h"
#include "warplens/bench/stats/quantiles.h"
#include "warplens/bench/stats/series_for_test.h"

namespace warplens::bench {
namespace {

/// Share of `trials` series whose interval holds the true median, 100.
double coverage(size_t trials, double alpha, const std::function<std::vector<double>(Random&)>& series) {
  Random random(12345);
  size_t held = 0;
  for (size_t t = 0; t < trials; ++t) {
    BootstrapOptions options;
    options.alpha = alpha;
    options.seed = t + 1;
    options.resamples = 300;
    const Estimate e = estimate(series(random), options);
    held += e.low <= 100 && 100 <= e.high;
  }
  return static_cast<double>(held) / static_cast<double>(trials);
}

TEST(Bootstrap, CoversTheMedianOfIndependentNoise) {
  for (const Noise noise : {Noise::kNormal, Noise::kLogNormal, Noise::kCauchy, Noise::kBimodal}) {
    for (const size_t n : {20u, 60u, 300u})
      EXPECT_GE(coverage(400, 0.05, [&](Random& r) { return independent_series(noise, n, r); }), 0.92)
          << "noise " << static_cast<int>(noise) << ", n " << n;
  }
}

TEST(Bootstrap, CoversTheMedianOfANoiseWithMemory) {
  // An interval that takes samples for independent covers 0.75 and 0.5 of these.
  EXPECT_GE(coverage(400, 0.05, [](Random& r) { return autoregressive_series(0.5, 200, r); }), 0.90);
  EXPECT_GE(coverage(400, 0.05, [](Random& r) { return autoregressive_series(0.8, 500, r); }), 0.88);
}

TEST(Bootstrap, IndependentIntervalsWouldFailOnMemory) {
  Random random(5);
  size_t held = 0;
  for (size_t t = 0; t < 300; ++t) {
    BootstrapOptions options;
    options.block_length = 1;
    options.resamples = 200;
    const Estimate e = estimate(autoregressive_series(0.8, 500, random), options);
    held += e.low <= 100 && 100 <= e.high;
  }
  EXPECT_LT(held, 220u);
}

TEST(Bootstrap, IsNotUselesslyWide) {
  // The median of n normals has a standard error of 1.2533 / sqrt(n).
  Random random(9);
  double width = 0;
  for (size_t t = 0; t < 200; ++t) {
    const Estimate e = estimate(independent_series(Noise::kNormal, 200, random));
    width += (e.high - e.low) / 2;
  }
  const double ideal = 1.96 * 1.2533 / std::sqrt(200.0);
  EXPECT_LT(width / 200, 1.2 * ideal);
  EXPECT_GT(width / 200, 0.85 * ideal);
}

TEST(Bootstrap, MedianAndTrimmedMeanAreTheTextbookOnes) {
  const std::vector<double> values = {5, 1, 4, 2, 3, 100, 6, 7, 8, 9};
  EXPECT_DOUBLE_EQ(estimate(values).value, median(values));
  BootstrapOptions trimmed;
  trimmed.trim = 0.1;  // drops 1 and 100
  EXPECT_DOUBLE_EQ(estimate(values, trimmed).value, (2 + 3 + 4 + 5 + 6 + 7 + 8 + 9) / 8.0);
  trimmed.trim = 0;
  EXPECT_DOUBLE_EQ(estimate(values, trimmed).value, 14.5);
}

TEST(Bootstrap, ConstantSamplesGiveTheTimersStep) {
  BootstrapOptions options;
  options.resolution = 32;
  const Estimate e = estimate(std::vector<double>(50, 1000.0), options);
  EXPECT_DOUBLE_EQ(e.low, 984);
  EXPECT_DOUBLE_EQ(e.high, 1016);
  EXPECT_DOUBLE_EQ(e.relative_half_width(), 0.016);
}

TEST(Bootstrap, OneSampleAndNone) {
  EXPECT_EQ(estimate({}).samples, 0u);
  EXPECT_EQ(estimate(std::vector<double>{7}).value, 7);
}

TEST(BlockLength, GrowsWithMemory) {
  Random random(3);
  EXPECT_LE(automatic_block_length(independent_series(Noise::kNormal, 500, random)), 3u);
  const size_t some = automatic_block_length(autoregressive_series(0.5, 500, random));
  const size_t long_memory = automatic_block_length(autoregressive_series(0.9, 500, random));
  EXPECT_GE(some, 3u);
  EXPECT_GT(long_memory, some);
}

TEST(BlockLength, AutocorrelationOfAKnownSeries) {
  Random random(4);
  const std::vector<double> series = autoregressive_series(0.7, 20000, random);
  EXPECT_NEAR(autocorrelation(series, 1), 0.7, 0.03);
  EXPECT_NEAR(autocorrelation(series, 2), 0.49, 0.04);
}

TEST(LogRatio, CoversAKnownRatio) {
  Random random(6);
  size_t held = 0;
  for (size_t t = 0; t < 300; ++t) {
    std::vector<double> a = independent_series(Noise::kLogNormal, 60, random),
                        b = independent_series(Noise::kLogNormal, 80, random);
    for (double& x : b) x *= 1.1;
    const Estimate e = log_ratio_of_medians(a, b);
    held += e.low <= std::log(1.1) && std::log(1.1) <= e.high;
  }
  EXPECT_GE(held, 277u);  // 92.5 % of 300
}

}  // namespace
}  // namespace warplens::bench
