#include "warplens/bench/stats/quantiles.h"

#include <gtest/gtest.h>

#include <cmath>

namespace warplens::bench {
namespace {

TEST(Quantiles, MedianOfOddAndEvenCounts) {
  EXPECT_DOUBLE_EQ(median(std::vector<double>{3, 1, 2}), 2);
  EXPECT_DOUBLE_EQ(median(std::vector<double>{4, 1, 2, 3}), 2.5);
  EXPECT_TRUE(std::isnan(median(std::vector<double>{})));
}

TEST(Quantiles, LinearBetweenNeighbours) {
  const std::vector<double> sorted = {10, 20, 30, 40};
  EXPECT_DOUBLE_EQ(sorted_quantile(sorted, 0), 10);
  EXPECT_DOUBLE_EQ(sorted_quantile(sorted, 1), 40);
  EXPECT_DOUBLE_EQ(sorted_quantile(sorted, 0.25), 17.5);
}

TEST(Quantiles, NormalAgreesWithTables) {
  EXPECT_NEAR(normal_quantile(0.975), 1.959964, 1e-5);
  EXPECT_NEAR(normal_quantile(0.999), 3.090232, 1e-5);
  EXPECT_NEAR(normal_quantile(0.01), -2.326348, 1e-5);
  EXPECT_NEAR(normal_quantile(1e-12), -7.034484, 1e-4);
}

TEST(Quantiles, StudentAgreesWithTables) {
  EXPECT_NEAR(student_quantile(0.975, 1), 12.7062, 1e-3);
  EXPECT_NEAR(student_quantile(0.975, 2), 4.3027, 1e-3);
  EXPECT_NEAR(student_quantile(0.975, 5), 2.5706, 0.01);
  EXPECT_NEAR(student_quantile(0.995, 10), 3.1693, 0.01);
  EXPECT_NEAR(student_quantile(0.975, 1000), 1.9623, 1e-3);
}

}  // namespace
}  // namespace warplens::bench
