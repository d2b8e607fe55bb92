#include "warplens/base/json_fault.h"

#include <gtest/gtest.h>

#include "warplens/base/json.h"

namespace warplens::json {
namespace {

std::string message(std::string_view text) {
  const auto parsed = parse(text);
  return parsed.ok() ? "" : parsed.status().message();
}

TEST(JsonFault, SaysWhereAndWhatIsMissing) {
  EXPECT_EQ(message("{\"a\": 1,\n \"b\" 2}"), "not valid JSON: line 2, column 6: a ':' is expected");
  EXPECT_EQ(message("{\"a\": [1 2]}"), "not valid JSON: line 1, column 10: a ',' or ']' is expected");
  EXPECT_EQ(message("{\"a\": 1,}"), "not valid JSON: line 1, column 9: a name in double quotes is expected");
  EXPECT_EQ(message("{\"a\": "), "not valid JSON: line 1, column 7, where it ends: a value is expected");
  EXPECT_EQ(message("[\"ab"), "not valid JSON: line 1, column 2: a closing quote for this one is expected");
  EXPECT_EQ(message("[1] 2"), "not valid JSON: line 1, column 5: nothing more is expected");
  EXPECT_EQ(message("[01]"), "not valid JSON: line 1, column 3: a ',' or ']' is expected");
  EXPECT_EQ(message("[+1]"), "not valid JSON: line 1, column 2: a value or ']' is expected");
  EXPECT_EQ(message("[\"\\x\"]"),
            "not valid JSON: line 1, column 4: an escape of JSON: \\\" \\\\ \\/ \\b \\f \\n \\r \\t or "
            "\\uXXXX is expected");
  EXPECT_EQ(message(""), "not valid JSON: line 1, column 1, where it ends: a value is expected");
}

TEST(JsonFault, FindsNoneInWhatParses) {
  for (const char* text : {"null", " [ ] ", "{}", "[1, -0.5e+3, \"\\u00e9\\n\", true, {\"a\": {\"b\": []}}]"}) {
    EXPECT_TRUE(parse(text).ok()) << text;
    EXPECT_FALSE(find_fault(text)) << text;
  }
}

TEST(JsonFault, AgreesWithTheParserOnDamagedText) {
  const std::string whole = R"({"a": [1, 2.5e-3, "x\ny"], "b": {"c": null, "d": [true, false]}, "e": "\u0041"})";
  for (size_t at = 0; at < whole.size(); ++at) {
    for (const char c : std::string("{}[]:,\"\\0e-. x\n")) {
      std::string text = whole;
      text[at] = c;
      EXPECT_EQ(parse(text).ok(), !find_fault(text)) << text;
    }
  }
}

}  // namespace
}  // namespace warplens::json
