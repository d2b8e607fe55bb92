#include "warplens/launch/compare.h"

#include <gtest/gtest.h>

#include <cmath>

namespace warplens::launch {
namespace {

std::vector<uint8_t> floats(const std::vector<float>& values) {
  const auto* begin = reinterpret_cast<const uint8_t*>(values.data());
  return {begin, begin + values.size() * sizeof(float)};
}

Comparison compared(const std::vector<float>& got, const std::vector<float>& want, std::vector<uint64_t> shape = {}) {
  Comparison c = compare(DType::kF32, floats(got), floats(want), 1e-3, 1e-3);
  c.name = "y";
  c.against = "want.npy";
  c.shape = std::move(shape);
  return c;
}

TEST(Compare, EqualAndClose) {
  EXPECT_EQ(compared({1, NAN, INFINITY}, {1, NAN, INFINITY}).text(), "y against want.npy: all 3 elements equal");
  const Comparison close = compared({1, 2.001f}, {1, 2});
  EXPECT_TRUE(close.ok());
  EXPECT_EQ(close.at, 1u);
}

TEST(Compare, SaysTheWorstAndTheFirst) {
  const Comparison c = compared({1, 2.5, 3, 9}, {1, 2, 3, 4}, {2, 2});
  EXPECT_EQ(c.wrong, 2u);
  EXPECT_EQ(c.text(),
            "y against want.npy: 2 of 4 elements are wrong (rtol 0.001, atol 0.001); the worst is y[1,1]: 9 for 4 "
            "(error 5); the first is y[0,1]");
}

TEST(Compare, NonFiniteElementsAreWrongAndCounted) {
  const Comparison c = compared({NAN, INFINITY, -INFINITY, 1}, {1, 2, INFINITY, NAN});
  EXPECT_EQ(c.wrong, 4u);
  EXPECT_EQ(c.nan_got, 1u);
  EXPECT_EQ(c.inf_want, 1u);
  EXPECT_TRUE(std::isinf(c.largest_error));
}

TEST(Compare, OtherSizesAreNotCompared) {
  const Comparison c = compared({1}, {1, 2});
  EXPECT_FALSE(c.ok());
  EXPECT_EQ(c.text(), "y against want.npy: not the same number of elements");
}

TEST(Summary, LeavesOutNonFiniteElements) {
  const Summary s = summarize(DType::kF32, floats({1, NAN, -3, INFINITY}));
  EXPECT_EQ(s.sum, -2);
  EXPECT_EQ(s.sum_squares, 10);
  EXPECT_EQ(s.min, -3);
  EXPECT_EQ(s.max, 1);
  EXPECT_EQ(s.nan, 1u);
  EXPECT_EQ(s.inf, 1u);
}

}  // namespace
}  // namespace warplens::launch
