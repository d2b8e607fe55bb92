#include "warplens/program/findings/forecast.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "warplens/model/constants.h"
#include "warplens/model/convolution_band.h"
#include "warplens/program/analysis/test_profile.h"

namespace warplens::findings {
namespace {

constexpr int64_t kUs = 1000;
constexpr int kLaunches = 90;
constexpr auto kGapNs = static_cast<int64_t>(model::kQueuedKernelNs - model::kShortKernelNs);

/// A step of 1000 us in which the host launches a kernel each 10 us.
Profile recording(int64_t kernel_ns, const char* name = "k", int launches = kLaunches) {
  analysis::TestProfile test;
  test.op("main", "ProfilerStep#1", 0, 1000 * kUs, {OperatorKind::kRange});
  int64_t free_at = 0;
  for (int i = 0; i < launches; ++i) {
    const int64_t at = (i + 1) * 10 * kUs;
    test.call("main", "cudaLaunchKernel", at, 3 * kUs, i + 1);
    const int64_t start = std::max(at + 5 * kUs, free_at + 1 * kUs);
    test.kernel(name, start, kernel_ns, i + 1);
    free_at = start + kernel_ns;
  }
  return std::move(test.profile);
}

std::vector<DeviceForecast> forecast_of(Profile first, Profile second) {
  std::vector<Profile> both;
  both.push_back(std::move(first));
  both.push_back(std::move(second));
  return forecast(both);
}

TEST(Forecast, ASlowerGpuStretchesTheStep) {
  const auto of = forecast_of(recording(50 * kUs), recording(80 * kUs));
  EXPECT_EQ(of[0].step_ns, kLaunches * (50 * kUs + kGapNs));
  EXPECT_EQ(of[1].step_ns, kLaunches * (80 * kUs + kGapNs));
  EXPECT_EQ(of[1].device_ns, kLaunches * 80 * kUs);
  EXPECT_EQ(of[1].bound_by, "kernels");
  EXPECT_FALSE(of[1].own_host);
}

TEST(Forecast, AFasterGpuWaitsForTheHostOfTheFirst) {
  const auto of = forecast_of(recording(50 * kUs), recording(1 * kUs));
  EXPECT_EQ(of[1].bound_by, "host");
  EXPECT_EQ(of[1].host_ns, of[0].host_ns);
  EXPECT_LT(of[1].step_ns, 1010 * kUs);
}

TEST(Forecast, BandsAreThoseOfKernelsAndOfLibraryCalls) {
  const auto of = forecast_of(recording(50 * kUs), recording(50 * kUs, "gemm f32 8x8x8 (stand-in)"));
  EXPECT_NEAR(of[0].high_ns, kLaunches * (50 * model::kBandHigh * kUs + kGapNs), kUs);
  EXPECT_NEAR(of[1].high_ns, kLaunches * (50 * model::kLibraryBandHigh * kUs + kGapNs), kUs);
  EXPECT_NEAR(of[1].low_ns, kLaunches * (50 * model::kLibraryBandLow * kUs + kGapNs), kUs);
  EXPECT_EQ(of[1].bound_by, "library calls");
}

TEST(Forecast, ConvolutionsHaveAWiderBand) {
  const auto of = forecast_of(recording(50 * kUs), recording(50 * kUs, "conv2d f32 1x8x8x8 by 8x8x3x3 (stand-in)"));
  EXPECT_NEAR(of[1].high_ns, kLaunches * (50 * model::kConvolutionBandHigh * kUs + kGapNs), kUs);
  EXPECT_NEAR(of[1].low_ns, kLaunches * (50 * model::kConvolutionBandLow * kUs + kGapNs), kUs);
  EXPECT_EQ(of[1].bound_by, "library calls");
}

TEST(Forecast, OtherWorkHasItsOwnHost) {
  const auto of = forecast_of(recording(50 * kUs), recording(50 * kUs, "k", kLaunches / 2));
  EXPECT_TRUE(of[1].own_host);
  EXPECT_EQ(of[1].device_ns, kLaunches / 2 * 50 * kUs);
}

TEST(Forecast, OperatorsAreThoseOfAStep) {
  const auto of = forecast_of(recording(50 * kUs), recording(50 * kUs));
  ASSERT_EQ(of[0].operators.size(), 1u);
  EXPECT_EQ(of[0].operators[0].name, "k");
  EXPECT_EQ(of[0].operators[0].launches, kLaunches);
  EXPECT_EQ(of[0].operators[0].device_ns, kLaunches * 50 * kUs);
}

TEST(Forecast, KernelsAreNamedAsTheirGpuRanThemAndHaveBands) {
  const auto of = forecast_of(recording(50 * kUs, "here"), recording(80 * kUs, "there"));
  ASSERT_EQ(of[1].kernels.size(), 1u);
  const ForecastKernel& kernel = of[1].kernels[0];
  EXPECT_EQ(kernel.name, "there");
  EXPECT_EQ(kernel.launches, kLaunches);
  EXPECT_EQ(kernel.device_ns, kLaunches * 80 * kUs);
  EXPECT_NEAR(kernel.low_ns, kLaunches * 80 * kUs * model::kBandLow, 1);
  EXPECT_NEAR(kernel.high_ns, kLaunches * 80 * kUs * model::kBandHigh, 1);
}

TEST(Forecast, NothingRanTakesNoTime) {
  std::vector<Profile> one;
  one.push_back(analysis::TestProfile().profile);
  EXPECT_EQ(forecast(one)[0].step_ns, 0);
}

}  // namespace
}  // namespace warplens::findings
