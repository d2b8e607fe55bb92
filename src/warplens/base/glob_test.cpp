#include "warplens/base/glob.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace warplens {
namespace {

/// By definition: a star takes nothing, or a character and more.
bool by_definition(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return text.empty();
  if (pattern[0] == '*')
    return by_definition(pattern.substr(1), text) || (!text.empty() && by_definition(pattern, text.substr(1)));
  return !text.empty() && (pattern[0] == '?' || pattern[0] == text[0]) &&
         by_definition(pattern.substr(1), text.substr(1));
}

TEST(Glob, IsAsDefined) {
  std::mt19937 random(1);
  const auto made = [&random](std::string_view letters, size_t most) {
    std::string out(random() % (most + 1), ' ');
    for (char& c : out) c = letters[random() % letters.size()];
    return out;
  };
  size_t matched = 0;
  for (int round = 0; round < 20'000; ++round) {
    const std::string pattern = made("ab*?", 7), text = made("ab", 9);
    matched += by_definition(pattern, text);
    ASSERT_EQ(matches_glob(pattern, text), by_definition(pattern, text)) << pattern << " " << text;
  }
  EXPECT_GT(matched, 1000u);
}

TEST(Glob, LongPiecesMatch) {
  const std::string text = "x" + std::string(200, 'a') + "b";
  EXPECT_TRUE(matches_glob("*" + std::string(150, 'a') + "?*", text));
  EXPECT_TRUE(matches_glob("*" + std::string(100, 'a') + "?" + std::string(98, 'a') + "b*", text));
  EXPECT_FALSE(matches_glob("*" + std::string(102, 'a') + "?" + std::string(98, 'a') + "b*", text + "c"));
}

TEST(Glob, PatternsThatAlmostMatchEverywhereEnd) {
  const std::string text(60'000, 'a'), half(30'000, 'a');
  for (int round = 0; round < 200; ++round) ASSERT_FALSE(matches_glob("*" + half + "b*", text));
  ASSERT_FALSE(matches_glob("*" + half + "?" + half + "b*", text + "a"));
}

}  // namespace
}  // namespace warplens
