// --verify of `warplens kernel`: a kernel in a file, emulated and counted by hardware, side by side.
#pragma once
#include <vector>

#include "warplens/cli/verb.h"
#include "warplens/report/report.h"

namespace warplens::cli {

/// Runs the same file on the GPU under hardware counters and prints every counter that `emulated` has too. True where
/// one that should be equal is not. Errors: no GPU, no permission to count.
Result<bool> verify_on_hardware(const Invocation& invocation, const std::vector<const report::KernelReport*>& emulated);

}  // namespace warplens::cli
