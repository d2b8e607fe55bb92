#include "warplens/output/saving.h"

#include "warplens/base/text.h"
#include "warplens/base/units.h"

namespace warplens {
namespace {

/// Of a program: a time and its share of a step.
std::string step_saving(const Finding& finding, double minor) {
  const double alone = *finding.saving_fraction, beside = finding.beside_fraction.value_or(alone);
  if (alone < minor) return "saves almost nothing";
  std::string out =
      fmt::format("saves about {} ({})", format_ns(static_cast<double>(*finding.saving_ns)), format_share(alone));
  if (beside < minor) return out + ", almost nothing on top of the findings above";
  if (alone - beside >= minor) out += fmt::format(", {} on top of the findings above", format_share(beside));
  return out;
}

/// Of a launch: a share of its time.
std::string launch_saving(const Finding& finding, double minor) {
  const double alone = *finding.saving_fraction, beside = finding.beside_fraction.value_or(alone);
  if (alone < minor) return "would save almost nothing";
  std::string out = fmt::format("would save about {} of the time", format_share(alone));
  if (beside < minor) return out + ", almost nothing on top of the findings above";
  if (alone - beside >= minor) out += fmt::format(", {} on top of the findings above", format_share(beside));
  return out;
}

}  // namespace

std::string saving_text(const Finding& finding, double minor) {
  if (finding.saving_ns && finding.saving_fraction) return step_saving(finding, minor);
  return finding.saving_fraction ? launch_saving(finding, minor) : "saving not known";
}

}  // namespace warplens
