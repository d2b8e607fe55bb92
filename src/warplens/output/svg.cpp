#include "warplens/output/svg.h"

#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/base/xml.h"

namespace warplens::svg {
namespace {

constexpr double kCharacter = 7.0;  // mean width of a letter

std::string rules_of(const Palette& palette) {
  std::string out = fmt::format(
      ".paper{{fill:{}}}.ink{{fill:{}}}.faint{{fill:{}}}.grid{{stroke:{};fill:none}}"
      ".axis{{stroke:{};fill:none}}",
      palette.background, palette.text, palette.faint, palette.grid, palette.axis);
  for (size_t k = 0; k < palette.series.size(); ++k)
    out += fmt::format(".fill{0}{{fill:{1}}}.line{0}{{stroke:{1};fill:none}}", k, palette.series[k]);
  return out;
}

}  // namespace

std::string open(double width, double height, std::string_view label) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" role=\"img\" "
      "aria-label=\"{2}\" {3}>\n<style>{4}@media (prefers-color-scheme:dark){{{5}}}</style>\n"
      "<rect class=\"paper\" width=\"{0}\" height=\"{1}\"/>\n",
      width, height, xml_escaped(label), kFont, rules_of(kLight), rules_of(kDark));
}

std::string text(double x, double y, std::string_view what, std::string_view css_class, std::string_view more) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\"{}{}>{}</text>\n", x, y, css_class,
                     more.empty() ? "" : " ", more, xml_escaped(what));
}

std::string shortened(std::string_view what, double width) {
  return ellipsis(what, static_cast<size_t>(std::max(1.0, width / kCharacter)));
}

}  // namespace warplens::svg
