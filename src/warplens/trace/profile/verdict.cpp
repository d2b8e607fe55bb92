#include "warplens/trace/profile/verdict.h"

#include <algorithm>

#include "warplens/base/text.h"

namespace warplens {
namespace {

/// Damage that falsifies a conclusion once its severity reaches `from`.
struct Falsifies {
  const char* issue;
  Conclusion conclusion;
  Severity from;
};

constexpr Falsifies kFalsifies[] = {
    {"dropped-records", Conclusion::kIdleTime, Severity::kWarning},
    {"dropped-records", Conclusion::kTotals, Severity::kError},
    {"no-timeline", Conclusion::kIdleTime, Severity::kInfo},
    {"no-timeline", Conclusion::kLaunchLatency, Severity::kInfo},
    {"no-timeline", Conclusion::kStepTimes, Severity::kInfo},
    {"no-timeline", Conclusion::kCollectiveSkew, Severity::kInfo},
    {"absurd-times", Conclusion::kIdleTime, Severity::kError},
    {"clocks-apart", Conclusion::kLaunchLatency, Severity::kWarning},
    {"clocks-apart", Conclusion::kIdleTime, Severity::kError},
    {"clock-ahead", Conclusion::kLaunchLatency, Severity::kWarning},
    {"clock-ahead", Conclusion::kIdleTime, Severity::kError},
    {"incomplete-graph-replays", Conclusion::kStepTimes, Severity::kWarning},
    {"ranks-without-common-clock", Conclusion::kCollectiveSkew, Severity::kWarning},
    {"ranks-of-different-jobs", Conclusion::kCollectiveSkew, Severity::kWarning},
    {"recording-cut-off", Conclusion::kGate, Severity::kInfo},
    {"recording-stopped", Conclusion::kGate, Severity::kWarning},
    {"activities-dropped", Conclusion::kGate, Severity::kWarning},
    {"host-events-dropped", Conclusion::kGate, Severity::kWarning},
    {"unknown-records", Conclusion::kGate, Severity::kWarning},
    {"dropped-records", Conclusion::kGate, Severity::kWarning},
    {"invalid-json", Conclusion::kGate, Severity::kWarning},
    {"unusable-events", Conclusion::kGate, Severity::kWarning},
    {"duplicated-events", Conclusion::kGate, Severity::kWarning},
    {"merged-ranks", Conclusion::kGate, Severity::kWarning},
};

std::string readable(const IntegrityIssue& issue) {
  return fmt::format("{} ({})", replace_all(issue.id, "-", " "), issue.count);
}

}  // namespace

std::string integrity_verdict(const Profile& profile) {
  std::vector<const IntegrityIssue*> issues;
  for (const IntegrityIssue& issue : profile.integrity.issues()) issues.push_back(&issue);
  std::stable_sort(issues.begin(), issues.end(),
                   [](const auto* a, const auto* b) { return a->severity > b->severity; });
  std::vector<std::string> serious, notes;
  for (const IntegrityIssue* issue : issues)
    (issue->severity == Severity::kInfo ? notes : serious).push_back(readable(*issue));
  const std::string also = notes.empty() ? "" : "; to know: " + join(notes, ", ");
  if (serious.empty()) return (notes.empty() ? "whole: nothing is missing" : "whole") + also;
  const bool damaged = issues.front()->severity == Severity::kError;
  return (damaged ? "damaged: " : "usable with care: ") + join(serious, ", ") + also;
}

std::string integrity_details(const Profile& profile, Severity from) {
  static constexpr const char* kNames[] = {"info", "warning", "error"};
  std::string out;
  for (const IntegrityIssue& issue : profile.integrity.issues()) {
    if (issue.severity >= from)
      out += fmt::format("{}: {}; {}\n", kNames[static_cast<int>(issue.severity)], issue.detail, issue.advice);
  }
  return out;
}

std::optional<std::string> withheld(const Profile& profile, Conclusion conclusion) {
  if (conclusion == Conclusion::kGate) {
    for (const IntegrityIssue& issue : profile.integrity.issues()) {
      if (issue.severity == Severity::kError) return issue.detail;
    }
  }
  for (const Falsifies& rule : kFalsifies) {
    const IntegrityIssue* issue = rule.conclusion == conclusion ? profile.integrity.find(rule.issue) : nullptr;
    if (issue != nullptr && issue->severity >= rule.from) return issue->detail;
  }
  return std::nullopt;
}

}  // namespace warplens
