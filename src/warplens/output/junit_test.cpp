#include "warplens/output/junit.h"

#include <gtest/gtest.h>

namespace warplens {
namespace {

TEST(Junit, CountsAndEscapes) {
  const std::string text =
      to_junit("warplens <diff>", {{"a \"step\"", Outcome::kPassed, "", ""},
                                   {"k<1>\x1b[31m", Outcome::kFailed, "5 % & more", "one\ntwo\x01"},
                                   {"c", Outcome::kNotJudged, "cut off", "\xff \xef\xbf\xbf"}});
  EXPECT_NE(text.find("tests=\"3\" failures=\"1\" errors=\"1\""), std::string::npos);
  EXPECT_NE(text.find("classname=\"warplens &lt;diff&gt;\" name=\"a &quot;step&quot;\""), std::string::npos);
  EXPECT_NE(text.find("<failure message=\"5 % &amp; more\">one\ntwo\\u0001</failure>"), std::string::npos) << text;
  EXPECT_NE(text.find("<error message=\"cut off\">"), std::string::npos);
  for (const char c : text) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20);
  EXPECT_EQ(text.find("\xef\xbf\xbf"), std::string::npos);
}

}  // namespace
}  // namespace warplens
