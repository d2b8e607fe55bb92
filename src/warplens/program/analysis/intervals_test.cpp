#include "warplens/program/analysis/intervals.h"

#include <gmock/gmock.h>

namespace warplens::analysis {
namespace {

using testing::ElementsAre;

TEST(Intervals, UniteOverlapsAndDropEmptyOnes) {
  EXPECT_THAT(unite({{20, 30}, {0, 10}, {5, 12}, {12, 15}, {40, 40}, {50, 45}}),
              ElementsAre(Span{0, 15}, Span{20, 30}));
}

TEST(Intervals, DifferenceAndIntersectionAddUpToTheWhole) {
  const TimeSet a = {{0, 10}, {20, 40}, {50, 60}}, b = {{5, 25}, {30, 35}, {55, 90}};
  EXPECT_THAT(subtract(a, b), ElementsAre(Span{0, 5}, Span{25, 30}, Span{35, 40}, Span{50, 55}));
  EXPECT_THAT(intersect(a, b), ElementsAre(Span{5, 10}, Span{20, 25}, Span{30, 35}, Span{55, 60}));
  EXPECT_EQ(length_ns(subtract(a, b)) + length_ns(intersect(a, b)), length_ns(a));
  EXPECT_THAT(clip(a, 8, 21), ElementsAre(Span{8, 10}, Span{20, 21}));
}

}  // namespace
}  // namespace warplens::analysis
