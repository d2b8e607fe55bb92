// The toolkit's programs, with a limit on their time.
#pragma once
#include <string>
#include <vector>

#include "warplens/base/process.h"

namespace warplens::compile {

/// Runs ptxas or nvcc. Each process may use at most WARPLENS_COMPILE_TIMEOUT seconds of CPU time (default 300; 0: no
/// limit): ptxas may never end on control flow that no compiler writes. Errors: the limit; it did not start.
Result<ProcessOutput> run_tool(const std::vector<std::string>& command);

}  // namespace warplens::compile
