#include "warplens/base/whole.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace warplens {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Whole, WhatDoesNotFitIsTheNearest) {
  EXPECT_EQ(nearest_int64(-3.9), -3);
  EXPECT_EQ(nearest_int64(0x1p63), INT64_MAX);
  EXPECT_EQ(nearest_int64(kInfinity), INT64_MAX);
  EXPECT_EQ(nearest_int64(-0x1p63), INT64_MIN);
  EXPECT_EQ(nearest_int64(-4.3e21), INT64_MIN);
  EXPECT_EQ(nearest_int64(std::nan("")), 0);
}

TEST(Whole, OnlyIntegersAreExact) {
  EXPECT_EQ(exact_int64(-7), -7);
  EXPECT_EQ(exact_int64(0x1p62), int64_t{1} << 62);
  for (const double other : {0.5, 0x1p63, -4.3e21, kInfinity, -kInfinity, std::nan("")})
    EXPECT_FALSE(exact_int64(other).has_value()) << other;
}

}  // namespace
}  // namespace warplens
