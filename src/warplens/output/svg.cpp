#include "warplens/output/svg.h"

#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/base/xml.h"

namespace warplens::svg {
namespace {

constexpr double kCharacter = 7.0;  // mean width of a letter

}  // namespace

std::string style_rules(const Palette& palette, std::string_view prefix) {
  std::string out;
  const auto rule = [&](std::string_view name, std::string_view what) {
    out += fmt::format("{}.{}{{{}}}", prefix, name, what);
  };
  rule("paper", fmt::format("fill:{}", palette.background));
  rule("ink", fmt::format("fill:{}", palette.text));
  rule("faint", fmt::format("fill:{}", palette.faint));
  rule("grid", fmt::format("stroke:{};fill:none", palette.grid));
  rule("axis", fmt::format("stroke:{};fill:none", palette.axis));
  rule("edge", fmt::format("stroke:{}", palette.background));
  rule("mark", fmt::format("stroke:{};fill:none", palette.text));
  for (size_t k = 0; k < palette.series.size(); ++k) {
    rule(fmt::format("fill{}", k), fmt::format("fill:{}", palette.series[k]));
    rule(fmt::format("line{}", k), fmt::format("stroke:{};fill:none", palette.series[k]));
  }
  return out;
}

std::string Picture::document(Theme theme) const {
  std::string rules = style_rules(theme == Theme::kDark ? kDark : kLight);
  if (theme == Theme::kReader) rules += fmt::format("@media (prefers-color-scheme:dark){{{}}}", style_rules(kDark));
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" role=\"img\" "
      "aria-label=\"{2}\" {3}>\n<style>{4}</style>\n<rect class=\"paper\" width=\"{0}\" height=\"{1}\"/>\n{5}</svg>\n",
      width, height, xml_escaped(label), kFont, rules, body);
}

std::string text(double x, double y, std::string_view what, std::string_view css_class, std::string_view more) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\"{}{}>{}</text>\n", x, y, css_class,
                     more.empty() ? "" : " ", more, xml_escaped(what));
}

std::string shortened(std::string_view what, double width) {
  return ellipsis(what, static_cast<size_t>(std::max(1.0, width / kCharacter)));
}

}  // namespace warplens::svg
