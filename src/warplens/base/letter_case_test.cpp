#include "warplens/base/letter_case.h"

#include <gtest/gtest.h>

namespace warplens {
namespace {

TEST(LetterCase, ChangesLettersOfAsciiAlone) {
  EXPECT_EQ(lower("NVIDIA H100 \xc3\x84[@"), "nvidia h100 \xc3\x84[@");
  EXPECT_EQ(upper("max-rows_1 \xc3\xa4{`"), "MAX-ROWS_1 \xc3\xa4{`");
}

TEST(LetterCase, CapitalizesTheFirstLetter) {
  EXPECT_EQ(capitalized("use fewer registers"), "Use fewer registers");
  EXPECT_EQ(capitalized(""), "");
  EXPECT_EQ(capitalized("4 loads"), "4 loads");
}

}  // namespace
}  // namespace warplens
