#include "warplens/base/printable.h"

#include <gtest/gtest.h>

namespace warplens {
namespace {

TEST(Printable, NamesAreOneLineThatDoesNothing) {
  EXPECT_EQ(printable("aten::mm"), "aten::mm");
  EXPECT_EQ(printable("größe"), "größe");
  EXPECT_EQ(printable("a\nb\r\tc"), "a\\nb\\r\\tc");
  EXPECT_EQ(printable("\x1b]8;;http://x\x07"), "\\u001b]8;;http://x\\u0007");
  EXPECT_EQ(printable("\x1b[31mred"), "\\u001b[31mred");
  EXPECT_EQ(printable("\xc2\x9b"
                      "2J\x7f"),
            "\\u009b2J\\u007f");
  EXPECT_EQ(printable("a\u202eb\u2066\u200b"), "a\\u202eb\\u2066\\u200b");
  EXPECT_EQ(printable("\U000e0041"), "\\U000e0041");
  EXPECT_EQ(printable("gemm\u3164 gemm\u115f gemm\ufe0f gemm\u034f"),
            "gemm\\u3164 gemm\\u115f gemm\\ufe0f gemm\\u034f");
  EXPECT_EQ(printable("\U000e0141"), "\\U000e0141");
  EXPECT_EQ(printable("a\xff"), "a\ufffd");
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a\\u0000b");
  EXPECT_TRUE(is_printable("größe") && !is_printable("\x07"));
}

TEST(Printable, LinesKeepWhatIsOurs) {
  EXPECT_EQ(printable_lines("\x1b[31mred\x1b[0m\n\tb\n"), "\x1b[31mred\x1b[0m\n\tb\n");
  EXPECT_EQ(printable_lines("\x1b[2J\x1b[31;1mx\rb"), "\\u001b[2J\\u001b[31;1mx\\rb");
  EXPECT_EQ(printable_lines("a::b\n  ::error::c\n::d"), "a::b\n  \\::error::c\n\\::d");
  EXPECT_EQ(printable_lines("x ##vso[task.x]y ##[group]"), "x # #vso[task.x]y # #[group]");
  EXPECT_EQ(printable_lines("## heading"), "## heading");
}

}  // namespace
}  // namespace warplens
