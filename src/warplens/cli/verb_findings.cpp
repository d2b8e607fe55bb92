// warplens findings: what is wrong, what it costs, and what to do.
#include "warplens/base/text.h"
#include "warplens/cli/verb.h"
#include "warplens/output/terminal.h"
#include "warplens/program/findings/engine.h"
#include "warplens/trace/readers/read.h"

namespace warplens::cli {
namespace {

Result<int> run_findings(const Invocation& invocation) {
  WL_ASSIGN(const Profile profile, read_profile(invocation.operands));
  findings::Report report = findings::find_all(profile);
  const std::string threshold = invocation.text("--fail-on");
  bool crossed = false;
  for (const findings::Finding& finding : report.findings) {
    crossed |= threshold == "info" || (threshold == "warn" && finding.level >= findings::Level::kWarn) ||
               (threshold == "critical" && finding.level == findings::Level::kCritical);
  }
  if (invocation.format() == Format::kJson) {
    WL_TRY(invocation.emit(findings::to_json(report)));
  } else if (invocation.format() == Format::kTable) {
    WL_TRY(invocation.emit(findings::to_terminal(report, terminal_width())));
  } else {
    WL_TRY(invocation.emit(findings::to_table(report)));
  }
  return crossed ? kExitThreshold : kExitOk;
}

}  // namespace

extern const Verb kFindings;
const Verb kFindings = {
    "findings",
    "what is wrong, what it costs, and what to do about it",
    "PROFILE...",
    "Each finding has its evidence, its place, advice, and a saving: what a step would take less, by running the "
    "recorded program again "
    "without the defect and without the profiler's own cost. Findings that cannot be estimated honestly have no "
    "saving.",
    {{"--fail-on", "LEVEL", "exit with 3 when a finding is at least this severe", "", {"info", "warn", "critical"}}},
    {{"warplens findings trace.json.gz", "all findings, the most valuable first"},
     {"warplens findings trace.json.gz --fail-on critical",
      "for CI: fails where a fifth of the step or more could be saved"}},
    run_findings};

}  // namespace warplens::cli
