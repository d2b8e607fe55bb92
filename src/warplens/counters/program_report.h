// The counts of a program's kernels, as text and as JSON.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "warplens/counters/counted_ranges.h"
#include "warplens/counters/counts.h"
#include "warplens/counters/measured_report.h"
#include "warplens/output/table.h"
#include "warplens/report/program_log.h"

namespace warplens::counters {

struct ProgramReport {
  struct Launch {
    CountedLaunch counted;
    std::optional<report::KernelReport> report;  // none where it was skipped
  };
  std::vector<Launch> launches;
  std::vector<RangeReport> ranges;                          // counted as wholes, in place of launches
  std::vector<Sampling> samplings;                          // one a process that was sampled
  std::vector<Instructions> instructions;                   // or whose instructions were counted
  std::vector<OverTime> over_time;                          // launches sampled at intervals
  std::map<std::string, std::vector<std::string>> code;     // text of kernels' instructions, by mangled kernel
  std::map<std::string, std::vector<report::PtxLine>> ptx;  // of an emulated program, by mangled kernel
  std::vector<std::string> notes;  // notes: refusals, metrics that the chip lacks, kernels left out
  bool emulated = false;
  bool any() const;
};

Result<ProgramReport> program_report(const Counts& counts, const PeaksOf& peaks_of);

/// Counts of an emulated process: see cli's `counters --emulate -- PROGRAM`.
ProgramReport program_report(const report::ProgramLog& log);

/// How long a launch takes: measured, or as the model expects.
double launch_ns(const report::KernelReport& report);

/// The longest launch of each kernel, in the order of the kernels' first launches.
std::vector<const report::KernelReport*> costliest_launches(const ProgramReport& report);

/// One row a launch: time, its share, its limiting unit.
Table launch_table(const ProgramReport& report);
/// The table, and the full report of each kernel's costliest launch.
std::string to_text(const ProgramReport& report, size_t width);
std::string to_json(const ProgramReport& report);

}  // namespace warplens::counters
