#include "warplens/cli/kernel_baseline.h"

#include <algorithm>
#include <map>

#include "warplens/base/files.h"
#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/cli/counters_program.h"
#include "warplens/cli/gate.h"
#include "warplens/counters/program_report.h"
#include "warplens/output/fit.h"
#include "warplens/output/terminal.h"
#include "warplens/report/verify.h"

namespace warplens::cli {
namespace {

/// Kept counts and Nsight Compute's files, as the JSON that --save would have kept of them.
Result<json::Value> counters_of_file(const Invocation& invocation, const std::string& path) {
  WL_ASSIGN(const counters::ProgramReport report, read_kept_counts(invocation, {path}));
  return json::parse(counters::to_json(report));
}

Result<json::Value> read_counters(const Invocation& invocation, const std::string& path) {
  if (is_counts_file(path)) return counters_of_file(invocation, path);
  const Result<std::string> text = read_file(path);
  if (!text.ok())
    return Status(text.status().code(), text.status().message() + "; --save FILE writes a file for --baseline");
  Result<json::Value> counters = json::parse(*text);
  if (!counters.ok())
    return Status(counters.status().code(), fmt::format("{}: {}; --baseline needs a file of `warplens kernel --save`",
                                                        path, counters.status().message()));
  WL_TRY(report::check_baseline(*counters).in(path));
  return counters;
}

}  // namespace

Result<Baseline> baseline_of(const Invocation& invocation, const std::string& path) {
  Baseline baseline{.path = path};
  WL_ASSIGN(baseline.counters, read_counters(invocation, path));
  return baseline;
}

Result<std::optional<Baseline>> read_baseline(const Invocation& invocation) {
  const bool gates_time = invocation.has("--fail-on") && !failing_level(invocation);
  if (!invocation.has("--baseline")) {
    if (gates_time)
      return usage_error(
          fmt::format("--fail-on {}: give --baseline FILE as well, or a level of findings: info, warn, critical",
                      invocation.text("--fail-on")));
    return std::optional<Baseline>();
  }
  std::optional<double> limit;
  if (gates_time) {
    WL_ASSIGN(limit, invocation.percent("--fail-on"));
  }
  WL_ASSIGN(Baseline baseline, baseline_of(invocation, invocation.text("--baseline")));
  baseline.limit = limit;
  baseline.options = {.as = invocation.text("--as"), .some = invocation.has("--kernel")};
  return std::optional(std::move(baseline));
}

std::string with_comparison(const std::optional<Baseline>& baseline, std::string report,
                            const std::vector<const report::KernelReport*>& reports) {
  if (!baseline) return report;
  const auto compared = report::compare_with_baseline(baseline->counters, reports, baseline->options);
  const size_t end = report.rfind('}');
  if (!compared.ok() || end == std::string::npos) return report;
  json::Writer writer;
  report::write_comparison(writer, *compared);
  const size_t last = report.find_last_not_of(" \n", end - 1);
  return report.substr(0, last + 1) + ",\n  \"baseline\": " + writer.take() + "\n}\n";
}

Result<bool> findings_cross(const Invocation& invocation, const std::vector<const report::KernelReport*>& reports) {
  const std::optional<warplens::Level> least = failing_level(invocation);
  if (!least) return false;
  Gate gate(invocation, "kernel");
  for (const report::KernelReport* report : reports) {
    if (!report->why_not_counted.empty()) continue;  // it is not among the judged cases
    const auto worst = std::ranges::max_element(report->findings, {}, &Finding::level);
    const bool failed = worst != report->findings.end() && worst->level >= *least;
    const std::string what =
        worst == report->findings.end() ? "no finding" : fmt::format("{}: {}", level_name(worst->level), worst->id);
    gate.add({report->kernel, failed ? Outcome::kFailed : Outcome::kPassed, what, failed ? worst->advice : ""});
  }
  WL_TRY(gate.exit_code().status());
  return gate.crossed();
}

Result<bool> compare_with(const Baseline& baseline, const Invocation& invocation,
                          const std::vector<const report::KernelReport*>& reports) {
  const auto compared = report::compare_with_baseline(baseline.counters, reports, baseline.options);
  if (!compared.ok()) return compared.status().in(baseline.path);
  if (compared->matched == 0) return invalid_input(baseline.path + ": " + compared->other.front());
  std::string told = to_terminal(report::time_table(compared->times), terminal_width()) + "\n";
  if (!compared->units.empty()) told += to_terminal(report::unit_table(compared->units), terminal_width()) + "\n";
  told += compared->changes.empty() ? "no exact counter changed since the baseline\n"
                                    : to_terminal(report::change_table(compared->changes), terminal_width());
  if (const bool emulated = !reports.empty() && !reports[0]->measured;
      emulated && report::is_hardware(baseline.counters) && baseline.options.as.empty()) {
    WL_ASSIGN(const auto rows, report::verify(baseline.counters, reports));
    told += to_terminal(report::verify_table(rows), terminal_width()) + report::verify_summary(rows);
  }
  std::vector<std::string> notes = compared->notes;
  notes.erase(std::unique(notes.begin(), notes.end()), notes.end());  // launches of one kernel say the same
  for (const std::string& note : notes) told += "note: " + note + "\n";
  for (const std::string& why : compared->other) told += "other: " + why + "\n";
  warplens::show(invocation.format() == Format::kTable ? stdout : stderr, "\n" + fitted(told, terminal_width()));
  if (!baseline.limit) return false;
  Gate gate(invocation, "kernel");
  std::map<std::string, size_t> seen;
  for (const report::TimeChange& t : compared->times) {
    const size_t number = ++seen[t.kernel];
    gate.add({number == 1 ? t.kernel : fmt::format("{} #{}", t.kernel, number),
              t.growth() > *baseline.limit ? Outcome::kFailed : Outcome::kPassed,
              fmt::format("{} before, {} now", format_ns(t.before_ns), format_ns(t.after_ns)),
              "limited by " + t.limited_by});
  }
  if (!compared->other.empty())
    return gate.cannot_judge(invalid_input(fmt::format(
        "{} has other launches, so --fail-on has nothing to compare these with; save it again with --save, choose "
        "launches with -k, or name the kernel to compare with: --as NAME",
        baseline.path)));
  WL_TRY(gate.exit_code().status());
  return gate.crossed();
}

}  // namespace warplens::cli
