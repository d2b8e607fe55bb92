#include "warplens/program/findings/engine.h"

#include <algorithm>
#include <optional>

#include "warplens/base/text.h"
#include "warplens/base/timing.h"
#include "warplens/base/units.h"
#include "warplens/program/findings/advice.h"
#include "warplens/program/findings/rank_rules.h"
#include "warplens/program/findings/ranking.h"
#include "warplens/program/findings/rules.h"
#include "warplens/program/findings/together.h"

namespace warplens::findings {
namespace {

/// Of two findings of one rule, the one that concerns more of its rank's step.
std::pair<double, Level> weight(const Finding& finding) {
  return {std::max(finding.saving_fraction.value_or(0), concerned_fraction(finding)), finding.level};
}

/// A rule that names no events is about those that its saving makes shorter or takes away.
void take_events(const Context& context, Finding& finding) {
  if (!finding.events.empty() || !context.promised) return;
  for (const auto& [row, ns] : context.promised->event_duration) finding.events.push_back(row);
  const std::vector<uint32_t>& removed = context.promised->events_removed;
  finding.events.insert(finding.events.end(), removed.begin(), removed.end());
}

/// Where a finding saves more than its kernels take, the host's part of the saving is told.
void tell_launches(Finding& finding) {
  for (const auto& [name, value] : finding.evidence) {
    if (name == "device_ns" && std::holds_alternative<int64_t>(value) &&
        finding.saving_ns.value_or(0) > std::get<int64_t>(value))
      finding.detail += " The saving includes their launches and the gaps between them.";
  }
}

/// What the rules find in one rank, and the change of the program behind each saving.
std::vector<Finding> found_in(const Context& context, Changes& changes, std::vector<std::string>& before_capture) {
  std::vector<Finding> out;
  for (const Rule& rule : all_rules()) {
    context.promised.reset();
    std::optional<Finding> finding = rule.check(context);
    if (!finding) continue;
    finding->id = rule.id;
    take_events(context, *finding);
    if (context.promised && finding->saving_ns) {
      context.told.insert(finding->events.begin(), finding->events.end());
      changes[rule.id] = std::move(*context.promised);
    }
    out.push_back(std::move(*finding));
  }
  before_capture = save_after_what_forbids_capture(context, changes, out);
  return out;
}

void check_rank(const Context& context, Report& report, Changes& changes) {
  changes.clear();
  std::vector<Finding>& out = report.findings;
  std::vector<std::string> before_capture;
  for (Finding& finding : found_in(context, changes, before_capture)) {
    if (finding.saving_fraction && weight(finding).first <= 0) continue;
    tell_launches(finding);
    if (context.p.ranks.size() > 1) {
      const int64_t rank = context.p.ranks.rank[context.program.rank];
      finding.title += fmt::format(" (rank {})", rank);
      finding.evidence.emplace_back("rank", rank);
    }
    const auto same = std::ranges::find(out, finding.id, &Finding::id);
    if (same != out.end() && weight(finding) <= weight(*same)) continue;
    if (finding.id == "launch-bound") report.before_capture = before_capture;
    if (same == out.end()) out.push_back(std::move(finding));
    else *same = std::move(finding);
  }
}

}  // namespace

const std::vector<Rule>& all_rules() {
  static const std::vector<Rule> rules = {
#define WL_RULE(id, function) {id, function},
#include "warplens/program/findings/rules.def"
#undef WL_RULE
  };
  return rules;
}

Report find_all(const Profile& profile) { return find_all(profile, Joined(profile)); }

Report find_all(const Profile& profile, CountedKernels counted) {
  Joined joined(profile);
  joined.counted = std::move(counted);
  return find_all(profile, joined);
}

Report find_all(const Profile& profile, const Joined& joined) {
  const TimedScope timed("findings");
  Report report;
  Changes changes;
  std::optional<Context> last;
  for (uint32_t rank = 0; rank < profile.ranks.size(); ++rank) {
    const Context& context = last.emplace(profile, joined, rank);
    if (context.step_ns <= 0) continue;
    if (context.step_ns > report.step_ns) {
      report.step_ns = context.step_ns;
      report.recorded_step_ns = context.recorded_step_ns;
      report.recorded_steps = context.steps;
      report.step_source = joined.step_set.source;
      report.steps = context.program.has_steps ? context.program.steps : 0;
    }
    check_rank(context, report, changes);
  }
  // The page tells the slowest rank's step: what each finding saves is a share of that one.
  for (Finding& finding : report.findings) {
    if (finding.saving_ns)
      finding.saving_fraction = static_cast<double>(*finding.saving_ns) / static_cast<double>(report.step_ns);
  }
  for (Finding& finding : rank_findings(profile, report.step_ns)) report.findings.push_back(std::move(finding));
  fit_advice(kind_of(profile), report.findings);
  rank(report.findings, report.before_capture);
  for (Finding& finding : report.findings) finding.kernels = causes_of(profile, joined.counted, finding.events);
  report.counted = joined.counted;
  if (profile.ranks.size() == 1 && last->step_ns > 0) add_up(*last, changes, report.findings);
  return report;
}

double concerned_fraction(const Finding& finding) {
  for (const auto& [name, value] : finding.evidence) {
    if (name == "concerned_fraction" && std::holds_alternative<double>(value)) return std::get<double>(value);
  }
  return 0;
}

std::vector<std::string> headlines(const Report& report, size_t limit) {
  std::vector<std::string> out;
  for (const Finding& finding : report.findings) {
    if (out.size() >= limit) break;
    if (is_minor(finding)) continue;
    const std::string saving = finding.saving_ns
                                   ? fmt::format(" (saves about {} of {})", format_share(*finding.saving_fraction),
                                                 report.steps ? "a step" : "the run")
                                   : "";
    const auto caused =
        std::ranges::find_if(finding.kernels, [](const CountedCause& cause) { return !cause.id.empty(); });
    std::string cause;
    if (caused != finding.kernels.end())
      cause = fmt::format(" [{}{}]", caused->id, caused->where.empty() ? "" : " at " + caused->where.front());
    out.push_back(fmt::format("{}: {}{}{}", finding.id, finding.title, saving, cause));
  }
  return out;
}

}  // namespace warplens::findings
