#include "warplens/base/json.h"

#include <gtest/gtest.h>

namespace warplens::json {
namespace {

TEST(Json, AnyBytesAreQuotedToTextThatReadsBack) {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string text = std::string("a") + static_cast<char>(byte) + "b\xc3\xa9";
    const auto read = parse(json::quoted(text));
    ASSERT_TRUE(read.ok()) << byte;
    if (byte < 0x80) EXPECT_EQ(*read->string(), text);
    else
      EXPECT_EQ(*read->string(),
                "a\xEF\xBF\xBD"
                "b\xc3\xa9")
          << byte;
  }
}

}  // namespace
}  // namespace warplens::json
