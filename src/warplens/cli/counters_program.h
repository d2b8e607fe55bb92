// `warplens counters -- PROGRAM`: the kernels that a program launches on a GPU or an emulated one.
#pragma once
#include "warplens/cli/kernel_counters.h"
#include "warplens/cli/verb.h"
#include "warplens/counters/program_report.h"

namespace warplens::cli {

/// Runs Invocation::command and reports the counts of its launches. Returns its exit code.
Result<int> count_program(const Invocation& invocation);

/// Prints it as --format and the flags of counters ask. True when --fail-on's threshold was crossed.
Result<bool> show_program_report(const Invocation& invocation, const CountersPlan& plan,
                                 const counters::ProgramReport& report);

/// Counts a command with hardware counters, with --set, --metric and --kernel of `invocation`.
Result<counters::ProgramReport> count_command(const Invocation& invocation, const std::vector<std::string>& command);

/// Counts that --keep kept, a file for each process, or Nsight Compute's files. --device names the GPU of files that do
/// not. `gpu_flag`: the name of that flag in the user's verb.
Result<counters::ProgramReport> read_kept_counts(const Invocation& invocation, const std::vector<std::string>& paths,
                                                 const char* gpu_flag = "--device");

/// True if --keep or Nsight Compute wrote the file at `path`, which then only needs a report.
bool is_counts_file(const std::string& path);

/// Reports files that --keep kept, each of one process.
Result<int> report_counts(const Invocation& invocation, const std::vector<std::string>& paths);

/// --list-metrics CHIP: the metrics that can be counted.
Result<int> list_chip_metrics(const Invocation& invocation);

/// --plan CHIP: the metrics that --set and --metric would count there, and the number of passes.
Result<int> plan_counting(const Invocation& invocation);

}  // namespace warplens::cli
