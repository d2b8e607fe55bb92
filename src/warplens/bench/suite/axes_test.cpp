#include "warplens/bench/suite/axes.h"

#include <gmock/gmock.h>

#include "warplens/base/random.h"

namespace warplens::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Axes, ListsAndRanges) {
  EXPECT_THAT(parse_axis("n=1024,4096")->values, ElementsAre("1024", "4096"));
  EXPECT_THAT(parse_axis("n=2^10:2^14:*4")->values, ElementsAre("1024", "4096", "16384"));
  EXPECT_THAT(parse_axis("n=0:100:+50")->values, ElementsAre("0", "50", "100"));
  EXPECT_THAT(parse_axis("dtype=f32,bf16")->values, ElementsAre("f32", "bf16"));
  for (const char* bad : {"n", "=1", "n=", "n=1:2", "n=1:2:3", "n=0:8:*2", "n=4:1:+1", "n=1:9:+0", "n=1:2^62:+1"})
    EXPECT_FALSE(parse_axis(bad).ok()) << bad;
}

TEST(Axes, PointsAreCombinations) {
  const auto points = points_of({{"a", {"1", "2"}}, {"b", {"x", "y"}}});
  ASSERT_EQ(points->size(), 4u);
  EXPECT_EQ((*points)[1][1].second, "y");
  EXPECT_EQ(points_of({})->size(), 1u);
  EXPECT_FALSE(points_of({{"a", std::vector<std::string>(200, "1")}, {"b", std::vector<std::string>(200, "1")}}).ok());
}

TEST(Axes, ExpressionsAreWholeNumbers) {
  const Point point = {{"n", "1000"}, {"block", "256"}, {"k", "2^20"}, {"dtype", "f32"}};
  EXPECT_EQ(*whole_number("(n + block - 1) / block", point), 4);
  EXPECT_EQ(*whole_number("n /^ block", point), 4);
  EXPECT_EQ(*whole_number("2^3^2 % 100 - 12", point), 0);
  EXPECT_EQ(*whole_number("k", point), 1 << 20);
  EXPECT_THAT(whole_number("m * 2", point).status().message(), HasSubstr("no axis 'm'"));
  EXPECT_THAT(whole_number("dtype", point).status().message(), HasSubstr("no number"));
  for (const char* bad : {"", "1 +", "1/0", "2^99", "(1", "1)", "9223372036854775807 + 1"})
    EXPECT_FALSE(whole_number(bad, point).ok()) << bad;
}

TEST(Axes, FillsTexts) {
  const Point point = {{"n", "2^10"}, {"dtype", "f16"}};
  EXPECT_EQ(*filled_in("x=${dtype}[${n}]:uniform", point), "x=f16[1024]:uniform");
  EXPECT_EQ(*filled_in("${n/256},1", point), "4,1");
  EXPECT_EQ(*filled_in("plain", point), "plain");
  EXPECT_FALSE(filled_in("${n", point).ok());
  EXPECT_EQ(filled_in("$n/256", point).status().message(),
            "'$n/256': an axis is written in braces, as in ${n} or ${n/2}");
  EXPECT_FALSE(filled_in("${m}", point).ok());
}

TEST(Axes, DamagedExpressionsDoNotCrash) {
  Random random(2);
  const std::string letters = "0123456789nk+-*/%^() ";
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (uint32_t k = random.below(12); k > 0; --k)
      text += letters[random.below(static_cast<uint32_t>(letters.size()))];
    const Result<int64_t> value = whole_number(text, {{"n", "7"}, {"k", "-3"}});
    EXPECT_TRUE(value.ok() || !value.status().message().empty());
  }
}

}  // namespace
}  // namespace warplens::bench
