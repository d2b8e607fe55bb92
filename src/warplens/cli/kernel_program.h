// `warplens kernel -- PROGRAM`: the kernels that a program launches on a GPU, by hardware counters.
#pragma once
#include "warplens/cli/verb.h"

namespace warplens::cli {

/// Runs Invocation::command and reports what its launches were counted to; its exit code.
Result<int> count_program(const Invocation& invocation);

/// Reports files that --keep kept, each of one process.
Result<int> report_counts(const Invocation& invocation, const std::vector<std::string>& paths);

/// --list-metrics CHIP: what can be counted.
Result<int> list_chip_metrics(const Invocation& invocation);

/// --plan CHIP: what --set and --metric would count there, and in how many passes.
Result<int> plan_counting(const Invocation& invocation);

}  // namespace warplens::cli
