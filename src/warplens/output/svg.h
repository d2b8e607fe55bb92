// The shared part of all pictures: one palette, light and dark, one font, titles, legends.
#pragma once
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace warplens::svg {

inline constexpr const char* kFont =
    "font-family=\"Inter, 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif\" font-size=\"12.5\"";

/// Chosen to stay apart for colour-blind readers, and to hold a contrast of 4.5 and more against the background.
struct Palette {
  const char *background, *text, *faint, *grid, *axis;
  std::array<const char*, 8> series;
};
inline constexpr Palette kLight = {
    "#ffffff", "#14181f", "#5d6675",
    "#e8ebf0", "#b6bdc9", {"#2563c9", "#c2410c", "#0b7a5b", "#7a3fc4", "#b3246b", "#0d7490", "#8a6100", "#4b5563"}};
inline constexpr Palette kDark = {
    "#12161d", "#eef1f6", "#9aa5b5",
    "#252c37", "#465062", {"#6ea8ff", "#ff9a5c", "#3fd0a2", "#bb96ff", "#ff82b7", "#4fcbe6", "#e8bd4a", "#aab4c3"}};

/// Colours of a picture: fixed, or those of the page that it is read on.
enum class Theme { kLight, kDark, kReader };

/// A picture without its colours: elements whose classes name them. `paper`, `ink` and `faint` fill; `grid`, `axis` and
/// `mark` (the text's colour) and `edge` (the background's) draw lines; `fill0` to `fill7` and `line0` to `line7` are
/// the series' colours. Files and pages draw the same `body`.
struct Picture {
  double width = 0, height = 0;
  std::string label;  // for readers who cannot see it
  std::string body;
  /// A file. Programs that cannot read the dark half of Theme::kReader (librsvg) draw the light one.
  std::string document(Theme theme = Theme::kReader) const;
};

/// CSS of those classes, each after `prefix`.
std::string style_rules(const Palette& palette, std::string_view prefix = {});

/// `more` holds further attributes: "text-anchor=\"end\"".
std::string text(double x, double y, std::string_view what, std::string_view css_class, std::string_view more = "");

/// `what` shortened to `width` at 12.5 pixels: cut in its middle, because the ends of names identify them best.
std::string shortened(std::string_view what, double width);

}  // namespace warplens::svg
