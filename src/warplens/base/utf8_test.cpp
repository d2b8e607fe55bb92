#include <gtest/gtest.h>

#include "warplens/base/text.h"

namespace warplens {
namespace {

TEST(Utf8, TellsValidFromInvalid) {
  for (const char* good : {"", "plain", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"})
    EXPECT_TRUE(is_utf8(good)) << good;
  // stray continuation, cut off, overlong, surrogate, beyond U+10FFFF
  for (const char* bad : {"\x80", "\xC3", "\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xFF"})
    EXPECT_FALSE(is_utf8(bad)) << bad;
}

TEST(Utf8, RepairsOnlyWhatIsWrong) {
  EXPECT_EQ(repair_utf8("a\xC3\xA9\xFFz"), "a\xC3\xA9\xEF\xBF\xBDz");
  EXPECT_TRUE(is_utf8(repair_utf8("\xE2\x82 \x80\xF0\x9F\x98")));
}

}  // namespace
}  // namespace warplens
