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

}  // namespace
}  // namespace warplens
