#include "warplens/bench/suite/story.h"

#include <algorithm>

#include "warplens/bench/suite/emulated_case.h"

namespace warplens::bench {
namespace {

/// Findings of all launches, their savings as shares of the step's time; of one id, the first keeps the text and
/// savings add up.
void collect_findings(const std::vector<launch::Outcome>& outcomes, double estimate_ns, StepStory& out) {
  double costliest = 0;
  for (const launch::Outcome& outcome : outcomes) {
    if (!outcome.counted) continue;
    const report::KernelReport& report = *outcome.counted;
    if (report.time.ns > costliest) {
      costliest = report.time.ns;
      out.limited_by = report.time.limited_by;
    }
    for (Finding finding : report.findings) {
      if (finding.saving_fraction) finding.saving_fraction = *finding.saving_fraction * report.time.ns / estimate_ns;
      const auto same = std::find_if(out.findings.begin(), out.findings.end(),
                                     [&](const Finding& other) { return other.id == finding.id; });
      if (same == out.findings.end()) {
        out.findings.push_back(std::move(finding));
      } else if (finding.saving_fraction) {
        same->saving_fraction = same->saving_fraction.value_or(0) + *finding.saving_fraction;
      }
    }
  }
  std::stable_sort(out.findings.begin(), out.findings.end(), [](const Finding& a, const Finding& b) {
    return a.saving_fraction.value_or(0) > b.saving_fraction.value_or(0);
  });
}

}  // namespace

Result<std::vector<StepStory>> tell(const Family& family, const Point& point, const std::vector<std::string>& steps,
                                    const std::string& arch) {
  WL_ASSIGN(const std::vector<const Step*> chosen, chosen_steps(family, steps));
  std::vector<StepStory> out;
  double before_ns = 0;
  for (const Step* step : chosen) {
    WL_ASSIGN(const KernelCase each, case_of(family, *step, point));
    std::vector<launch::Outcome> outcomes;
    StepStory& story = out.emplace_back();
    story.step = step;
    WL_ASSIGN(story.measured, run_emulated(each, {.arch = arch}, &outcomes));
    story.measured.name = each.name;
    story.measured.axes = point;
    const double estimate_ns = story.measured.estimate_ns;
    if (estimate_ns > 0) {
      collect_findings(outcomes, estimate_ns, story);
      story.gain = before_ns / estimate_ns;
    }
    before_ns = estimate_ns;
    for (const Finding& finding : story.findings) {
      if (finding.id == step->finding) story.saving = finding.saving_fraction;
    }
  }
  return out;
}

}  // namespace warplens::bench
