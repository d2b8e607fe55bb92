// What the terminal can do, and what to draw on it.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace warplens {

/// Columns of standard output: COLUMNS, else the terminal's; 0 when it is not a terminal (never cut).
size_t terminal_width();

/// Names are shown whole and lines as wide as they get, whatever the terminal: terminal_width() is 0 from then on.
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

/// A horizontal bar of `share` (0..1) over `width` columns, in eighths of a column.
std::string bar(double share, size_t width);

/// A column a share (0..1), its height in eighths; more than nothing is never drawn as nothing.
std::string strip(const std::vector<double>& shares);

}  // namespace warplens
