#include "warplens/output/fit.h"

#include <gtest/gtest.h>

#include "warplens/base/text.h"
#include "warplens/output/table.h"

namespace warplens {
namespace {

TEST(Fitted, BreaksAtSpacesWithAHangingIndent) {
  EXPECT_EQ(fitted("  one two three four\nfive", 12), "  one two\n    three\n    four\nfive");
  EXPECT_EQ(fitted("short\n", 12), "short\n");
  EXPECT_EQ(fitted("as long as it likes to be", 0), "as long as it likes to be");
}

TEST(Fitted, ShortensWordsInTheirMiddle) {
  const std::string out = fitted("at::native::vectorized_elementwise_kernel", 20);
  EXPECT_EQ(out.substr(0, 5), "at::n");
  EXPECT_EQ(out.substr(out.size() - 6), "kernel");
}

TEST(Fitted, ColoursTakeNoRoom) { EXPECT_EQ(fitted("\x1b[1mbold\x1b[0m", 4), "\x1b[1mbold\x1b[0m"); }

size_t widest(const std::string& text) {
  size_t most = 0;
  for (const std::string_view line : split(text, '\n')) most = std::max(most, display_width(line));
  return most;
}

TEST(Tables, FitTheTerminal) {
  Table table{{{"name", "name"},
               {"a_ns", "launch to start, least", Kind::kTimeNs},
               {"b", "kernels", Kind::kCount},
               {"c", "streams at once", Kind::kNumber},
               {"d", "two or more", Kind::kTimeNs}},
              {{std::string(90, 'x'), int64_t{1'000'000}, int64_t{12}, 1.5, int64_t{7}}}};
  for (const size_t width : {160, 100, 70, 50, 34, 24}) EXPECT_LE(widest(to_terminal(table, width)), width) << width;
  EXPECT_NE(to_terminal(table, 60).find("launch\n"), std::string::npos);  // headings are broken first
  EXPECT_NE(to_terminal(table, 24).find("kernels"), std::string::npos);   // then a row becomes lines
}

TEST(Tables, ColumnsGiveWayOnNarrowTerminals) {
  const Table table{{{"rank", "rank", Kind::kCount},
                     {"name", "name"},
                     {"a_ns", "first time", Kind::kTimeNs, 2},
                     {"b_ns", "second time", Kind::kTimeNs, 1}},
                    {{int64_t{0}, std::string("one"), int64_t{1000}, int64_t{2000}},
                     {int64_t{0}, std::string("two"), int64_t{3000}, int64_t{4000}}}};
  EXPECT_EQ(to_terminal(table, 28).find("in every row"), std::string::npos);
  const std::string constant = to_terminal(table, 24);  // a column of one value goes first, and is told
  EXPECT_NE(constant.find("in every row: rank 0\n"), std::string::npos) << constant;
  EXPECT_NE(constant.find("4.00 us"), std::string::npos);
  const std::string narrow = to_terminal(table, 20);
  EXPECT_NE(narrow.find("rank 0; not shown at 20 columns: second time ("), std::string::npos) << narrow;
  EXPECT_NE(narrow.find("3.00 us"), std::string::npos);
  EXPECT_EQ(narrow.find("4.00 us"), std::string::npos);
}

TEST(Tables, RowsAsLinesStandSideBySide) {
  const Table table{{{"a", "alpha", Kind::kCount}, {"b", "beta", Kind::kCount}, {"c", "gamma", Kind::kCount}},
                    {{int64_t{1}, int64_t{22}, int64_t{3}}, {int64_t{4}, int64_t{5}, int64_t{6}}}};
  EXPECT_EQ(to_terminal(table, 14), "alpha   1  4\nbeta   22  5\ngamma   3  6\n");
  EXPECT_EQ(to_terminal(table, 10), "alpha  1\nbeta   22\ngamma  3\n\nalpha  4\nbeta   5\ngamma  6\n");
}

}  // namespace
}  // namespace warplens
