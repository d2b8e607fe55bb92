#include "warplens/bench/harness/check_output.h"

#include <gtest/gtest.h>

#include <limits>

namespace warplens::bench {
namespace {

const double kNan = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();

OutputCheck against(std::vector<double> got, std::vector<double> want, double tolerance = 1e-5) {
  return check_output({"y", std::move(got), std::move(want), tolerance});
}

TEST(CheckOutput, ErrorIsANormOverANorm) {
  const OutputCheck check = against({3, 4.5}, {3, 4});
  EXPECT_NEAR(check.error, 0.1, 1e-12);
  EXPECT_FALSE(check.passed);
  EXPECT_EQ(check.detail, "largest error at [1]: 4.5 for 4");
  EXPECT_TRUE(against({3, 4.5}, {3, 4}, 0.11).passed);
}

TEST(CheckOutput, NanAndInfinityAreLocated) {
  EXPECT_EQ(against({1, kNan, 3, kNan}, {1, 2, 3, 4}).detail,
            "2 of 4 elements are NaN or infinite and the reference is not, or the reverse, first at [1]: nan for 2");
  EXPECT_FALSE(against({1, kInf}, {1, -kInf}).passed);
  EXPECT_TRUE(against({1, kInf, kNan}, {1, kInf, kNan}).passed);
}

TEST(CheckOutput, WithoutReferenceLooksForWhatGivesItAway) {
  const auto alone = [](std::vector<double> got) { return check_output({"y", std::move(got), std::nullopt}); };
  EXPECT_EQ(alone({1, kNan}).detail, "1 of 2 elements are NaN, first at [1]");
  EXPECT_EQ(alone({0, 0, 0}).detail, "every element is 0, for any inputs");
  EXPECT_TRUE(alone({1, 2}).passed);
  EXPECT_FALSE(alone({}).passed);
}

TEST(CheckOutput, PoisonLeftInPlaceIsWorkNotDone) {
  Output output{"y", std::vector<double>(100, 1.0), std::vector<double>(100, 1.0)};
  output.poison.assign(100, -5);
  EXPECT_TRUE(check_output(output).passed);
  for (size_t i = 90; i < 100; ++i) output.values[i] = -5;
  EXPECT_EQ(check_output(output).detail, "10 of 100 elements were not written, first at [90]");
}

TEST(CheckOutput, SizesMustAgree) { EXPECT_FALSE(against({1, 2}, {1}).passed); }

TEST(CheckOutput, FailuresNameTheMoment) {
  EXPECT_EQ(failures({against({3, 4.5}, {3, 4})}, "first call")[0],
            "first call: output 'y': relative error 0.1, 1e-05 allowed; largest error at [1]: 4.5 for 4");
}

}  // namespace
}  // namespace warplens::bench
