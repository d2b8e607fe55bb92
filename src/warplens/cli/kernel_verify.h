// --verify of `warplens kernel`: a kernel in a file or a program, emulated and counted by hardware, side by side.
#pragma once
#include <vector>

#include "warplens/cli/verb.h"
#include "warplens/report/report.h"

namespace warplens::cli {

/// Runs the same file on the GPU under hardware counters and prints every counter that `emulated` has too. True where
/// one that should be equal is not. Errors: no GPU, no permission to count.
Result<bool> verify_on_hardware(const Invocation& invocation, const std::vector<const report::KernelReport*>& emulated);

/// The same of the kernels of Invocation::command, which runs twice; the exit code.
Result<int> verify_program(const Invocation& invocation);

}  // namespace warplens::cli
