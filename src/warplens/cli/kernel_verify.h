// Kernels that are emulated and counted by hardware: --verify runs both, --hardware reads kept counts.
#pragma once
#include <vector>

#include "warplens/cli/verb.h"
#include "warplens/report/report.h"
#include "warplens/report/verify.h"

namespace warplens::cli {

/// Runs the same file on the GPU under hardware counters, and joins those counts to `emulated`. Returns every counter
/// that both have. Errors: no GPU, no permission to count.
Result<std::vector<report::VerifiedMetric>> verify_on_hardware(const Invocation& invocation,
                                                               const std::vector<report::KernelReport*>& emulated);

/// Prints them. True where one that should be equal is not.
bool show_verified(const Invocation& invocation, const std::vector<report::VerifiedMetric>& rows);

/// The same of the kernels of Invocation::command, which runs twice; the exit code.
Result<int> verify_program(const Invocation& invocation);

/// --hardware FILE: joins the hardware's counts of the same launches to `emulated`. Error: the file has none of them.
Status join_kept(const Invocation& invocation, const std::vector<report::KernelReport*>& emulated);

}  // namespace warplens::cli
