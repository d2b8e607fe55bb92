// `warplens kernel FILE --try`.
#pragma once
#include "warplens/cli/verb.h"
#include "warplens/launch/run.h"

namespace warplens::cli {

/// Tries changes of the kernel and prints the effect of each. Returns the exit code.
Result<int> try_kernel(const Invocation& invocation, const launch::Description& description,
                       const launch::RunOptions& options);

}  // namespace warplens::cli
