// The terminal's abilities, and drawing for it.
#pragma once
#include <fmt/core.h>

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace warplens {

/// Columns of standard output: COLUMNS, else the terminal's; 0 when it is not a terminal (never cut).
size_t terminal_width();

/// Shows names whole and lines at full width on any terminal: terminal_width() is 0 from then on.
void show_whole_names();
bool whole_names();

enum class Style {
  kPlain,
  kBold,
  kDim,
  kRed,
  kYellow,
  kGreen,
  kBlue,
  kCyan,
  kMagenta,
  kBrightRed,
  kBrightYellow,
  kBrightGreen,
  kBrightBlue,
  kBrightCyan,
  kBrightMagenta
};

/// Decides once whether styled() colours: `mode` is auto, always or never; auto heeds NO_COLOR, FORCE_COLOR, TERM=dumb.
void set_color(std::string_view mode);
bool colored();
std::string styled(std::string_view text, Style style);

/// Writes printable_lines() of `text` to `stream`: names in it come from files.
void show(std::FILE* stream, std::string_view text);
/// Messages, on standard error.
template <typename... Values>
void tell(fmt::format_string<Values...> format, Values&&... values) {
  show(stderr, fmt::format(format, std::forward<Values>(values)...));
}

/// A horizontal bar of `share` (0..1) over `width` columns, in eighths of a column.
std::string bar(double share, size_t width);

/// A column a share (0..1), its height in eighths; anything above zero is drawn.
std::string strip(const std::vector<double>& shares);

}  // namespace warplens
