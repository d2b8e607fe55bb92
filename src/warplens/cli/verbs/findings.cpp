// warplens findings: what is wrong, what it costs, and what to do.
#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/cli/counters_flag.h"
#include "warplens/cli/cut_flags.h"
#include "warplens/cli/explain_flag.h"
#include "warplens/cli/gate.h"
#include "warplens/cli/profile_report.h"
#include "warplens/cli/trace_checks.h"
#include "warplens/cli/verb.h"
#include "warplens/explain/annotation.h"
#include "warplens/explain/explanation.h"
#include "warplens/output/terminal.h"
#include "warplens/program/findings/engine.h"

namespace warplens::cli {
namespace {

std::vector<explain::Annotation> findings_annotations(const findings::Report& report) {
  std::vector<explain::Annotation> out;
  for (const Finding& f : report.findings) {
    std::string message = f.title;
    if (f.saving_ns)
      message += fmt::format("\nwould save about {} ({} of {})", format_ns(static_cast<double>(*f.saving_ns)),
                             format_share(*f.saving_fraction), report.steps ? "a step" : "the run");
    if (!f.where.empty()) message += "\nwhere: " + join(f.where, "; ");
    message += "\ndo: " + f.advice;
    out.push_back({f.id, explain::Scope::kProgram, explain::level_of(level_name(f.level)), std::move(message),
                   explain::locations_in(f.where)});
  }
  return out;
}

/// Leaves out the findings of --ignore, and returns how many.
Result<size_t> leave_out(const Invocation& invocation, findings::Report& report) {
  const std::vector<std::string> ignored = invocation.list("--ignore");
  std::vector<std::string> known;
  for (const explain::Explanation& each : explain::all_explanations()) {
    if (each.scope == explain::Scope::kProgram) known.emplace_back(each.id);
  }
  for (const std::string& id : ignored) {
    if (std::ranges::find(known, id) != known.end()) continue;
    const std::string near = nearest(id, known);
    return usage_error(fmt::format("--ignore {}: no finding of that name{}; --explain all shows every one", id,
                                   near.empty() ? "" : " (did you mean " + near + "?)"));
  }
  return std::erase_if(report.findings,
                       [&](const Finding& f) { return std::ranges::find(ignored, f.id) != ignored.end(); });
}

/// A case each rule: it fails where its finding is at least as severe as --fail-on.
Gate judged(const Invocation& invocation, const findings::Report& report) {
  const Level least = failing_level(invocation).value_or(Level::kCritical);
  const std::vector<std::string> ignored = invocation.list("--ignore");
  Gate gate(invocation, "findings");
  for (const explain::Explanation& each : explain::all_explanations()) {
    if (each.scope != explain::Scope::kProgram || std::ranges::find(ignored, each.id) != ignored.end()) continue;
    const auto found = std::ranges::find(report.findings, each.id, &Finding::id);
    if (found == report.findings.end()) {
      gate.add({std::string(each.id), Outcome::kPassed, "", ""});
      continue;
    }
    std::string text = found->detail;
    if (!found->where.empty()) text += "\nwhere: " + join(found->where, "; ");
    gate.add({found->id, found->level >= least ? Outcome::kFailed : Outcome::kPassed,
              fmt::format("{}: {}", level_name(found->level), found->title), text + "\ndo: " + found->advice});
  }
  return gate;
}

Result<int> run_findings(const Invocation& invocation) {
  if (invocation.has("--explain")) return explain_finding(invocation, explain::Scope::kProgram);
  WL_ASSIGN(const Profile profile, read_cut(invocation, invocation.operands));
  WL_ASSIGN(findings::CountedKernels counted, joined_counters(invocation, profile));
  findings::Report report = findings::find_all(profile, std::move(counted));
  WL_ASSIGN(const size_t left_out, leave_out(invocation, report));
  if (left_out > 0) tell("warplens findings: {} left out by --ignore\n", left_out);
  const Gate gate = judged(invocation, report);
  WL_ASSIGN(const size_t limit, invocation.count("--limit"));
  if (limit > 0 && report.findings.size() > limit) {
    tell("warplens findings: {} more findings; --limit 0 shows all\n", report.findings.size() - limit);
    report.findings.resize(limit);
  }
  const std::string& format = invocation.text("--format");
  const ProfileReport out(invocation, profile);
  if (format == "github") {
    WL_TRY(out.foreign(explain::to_github(findings_annotations(report))));
  } else if (format == "sarif") {
    WL_TRY(out.foreign(explain::to_sarif(findings_annotations(report), invocation.operands[0], WARPLENS_VERSION)));
  } else if (invocation.format() == Format::kJson) {
    WL_TRY(out.json([&](json::Writer& writer) { findings::write_members(writer, report); }));
  } else {
    std::string text = findings::to_terminal(report, terminal_width());
    if (report.findings.empty()) text += nothing_found(profile, report.step_ns > 0, left_out);
    WL_TRY(out.table(findings::to_table(report), text));
  }
  return out.gate(gate);
}

}  // namespace

extern const Verb kFindings;
const Verb kFindings = {
    "findings",
    "list problems, their cost, and how to fix them",
    "PROFILE...",
    "Each finding has evidence, a place, advice and a saving. The saving is the time that a step would save. It "
    "comes from a simulation of the recorded program without the defect and without the profiler's cost. A finding "
    "without an honest estimate has no saving.",
    with_cut_flags(
        {{"--fail-on", "LEVEL", "exit with 3 if a finding is at least this severe", "", {"info", "warn", "critical"}},
         allow_damaged_flag(),
         counters_flag(),
         {"--limit", "N", "print at most N findings; 0: all", "0"},
         {"--ignore", "FINDING", "leave out this finding, as known and accepted; may be repeated", "", {}, true},
         explain_flag()}),
    {{"warplens findings trace.json.gz", "all findings, the most valuable first"},
     {"warplens findings trace.json.gz --fail-on critical",
      "for CI: fails if a fifth of the step or more could be saved"},
     {"warplens findings trace.json.gz --counters kernels.ncu-rep", "with the causes of counted kernels"},
     {"warplens findings --explain host-sync", "the meaning of a finding, and the formula of its saving"},
     {"warplens findings trace.json.gz --format github", "annotations for GitHub Actions; sarif for code scanning"}},
    run_findings,
    {{"--explain", [](const Invocation& i) { return i.has("--explain"); }, "--explain"},
     {"profiles", [](const Invocation&) { return true; }, "*", {{"--allow-damaged", "--fail-on"}}}},
    Prints::kData,
    {"github", "sarif"}};

}  // namespace warplens::cli
