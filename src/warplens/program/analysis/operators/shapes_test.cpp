// Damaged shape texts: refused, or read to something that prints and reads the same.
#include "warplens/program/analysis/operators/shapes.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace warplens::analysis {
namespace {

TEST(Shapes, DamagedTextsAreRefusedOrReadTheSameAgain) {
  const std::string original = "[[8, 512, 768], [], [[4], [2, 3]], [-1], [9223372036854775807, 2], [0]]";
  std::mt19937 random(1);
  const auto below = [&](size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random); };
  int read = 0, refused = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text = original;
    for (size_t n = 1 + below(2); n > 0 && !text.empty(); --n) {
      const size_t at = below(text.size());
      const size_t length = 1 + below(8);
      switch (below(4)) {
        case 0: text[at] = "[], 0123456789-x"[below(16)]; break;
        case 1: text.erase(at, length); break;
        case 2: text.insert(at, text.substr(below(text.size()), length)); break;
        default: text.resize(at); break;
      }
    }
    const auto inputs = parse_shapes(text), again = parse_shapes(torch_shapes(text));
    ASSERT_TRUE(again) << text;
    if (!inputs) {
      ++refused;
      EXPECT_TRUE(again->empty()) << text;
      continue;
    }
    ++read;
    ASSERT_EQ(again->size(), inputs->size()) << text;
    for (size_t k = 0; k < inputs->size(); ++k) {
      EXPECT_EQ((*again)[k].dims, (*inputs)[k].dims) << text;
      (void)element_count((*inputs)[k].dims);
    }
  }
  EXPECT_GT(read, 1000);
  EXPECT_GT(refused, 1000);
}

TEST(Shapes, CountsStopAtTheLargestNumber) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(element_count({kMost, 2}), kMost);
  EXPECT_EQ(element_count({kMost, -2}), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(element_count({kMost, 2, 0}), 0);
  EXPECT_EQ(element_count({3, 4, 5}), 60);
}

}  // namespace
}  // namespace warplens::analysis
