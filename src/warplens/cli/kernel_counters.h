// The counter reports of `warplens kernel` beyond its main output.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "warplens/cli/kernel_baseline.h"
#include "warplens/cli/verb.h"
#include "warplens/launch/run.h"

namespace warplens::cli {

/// The values of --save that name a buffer; the others keep counters.
std::vector<std::string> buffers_to_save(const Invocation& invocation);

/// Settings of counters that are known before a run.
struct CountersPlan {
  std::optional<Baseline> baseline;
  std::vector<std::string> files;  // --save FILE
};

/// Errors that can be reported before a run: files that cannot be read or written, flags that exclude each other.
/// `counting`: there will be counters.
Result<CountersPlan> plan_counters(const Invocation& invocation, bool counting);

/// The caption of the picture: "copy on H200: 1.2 TFLOP/s expected".
std::string roofline_title(const report::KernelReport& report);

/// The reports of launches that were counted.
std::vector<const report::KernelReport*> reports_of(const launch::RunResult& result);

/// --metrics, --lines, --roofline, --roofline-svg, --save FILE (of `to_json`), --baseline. True when --fail-on's
/// threshold was crossed.
Result<bool> counters_afterwards(const Invocation& invocation, const CountersPlan& plan,
                                 const std::vector<const report::KernelReport*>& reports,
                                 const std::function<std::string()>& to_json);

/// The line that --line names; none when it was not given. Error: no number.
Result<report::LineChoice> chosen_line(const Invocation& invocation);

/// The measurements that `warplens device measure` kept of this GPU; empty if it was never measured.
report::Peaks measured_peaks(const gpu::Device& device);

/// For CSV and Markdown: the first table that --metrics, --lines or --instructions asks for, over all launches; none
/// when none of them was given.
std::optional<Table> counters_table(const Invocation& invocation,
                                    const std::vector<const report::KernelReport*>& reports);

}  // namespace warplens::cli
