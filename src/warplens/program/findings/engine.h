// From a profile to its findings.
#pragma once
#include <string>
#include <vector>

#include "warplens/program/findings/context.h"
#include "warplens/program/findings/finding.h"
#include "warplens/trace/profile/profile.h"

namespace warplens::findings {

struct Report {
  std::vector<Finding> findings;  // most valuable first
  int64_t step_ns = 0;  // a step of the slowest rank without the profiler; the whole window where there are no steps
  int64_t recorded_step_ns = 0;          // as recorded
  size_t steps = 0;                      // those that were run again; 0 if nothing marks any
  analysis::StepSummary recorded_steps;  // of that rank
  analysis::StepSource step_source = analysis::StepSource::kNone;
  std::vector<std::string> before_capture;  // ids of findings that launch-bound assumes to be fixed first
  CountedKernels counted;                   // empty where no counters were given
};

/// Runs all rules on every rank; of findings with the same id on several ranks the most valuable stays and says which.
Report find_all(const Profile& profile);
/// With the counters of its kernels.
Report find_all(const Profile& profile, CountedKernels counted);
Report find_all(const Profile& profile, const Joined& joined);  // where the joins are needed for more

/// The first `limit` findings in a line each, for a summary.
std::vector<std::string> headlines(const Report& report, size_t limit);

/// "A step takes 4.60 ms without the profiler (6.25 ms as recorded).", of the whole trace where it has no steps.
std::string length_text(const Report& report);
/// As the verb prints them; without findings only the length of a step.
std::string to_terminal(const Report& report, size_t width);
/// How many kernels were joined to counters, and which were not; empty without counters.
std::string counters_text(const CountedKernels& counted, size_t width);
/// As members of an object that the writer is in.
void write_members(json::Writer& writer, const Report& report);
Table to_table(const Report& report);

}  // namespace warplens::findings
