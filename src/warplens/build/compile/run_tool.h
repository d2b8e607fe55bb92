// The toolkit's programs, with a limit on their time.
#pragma once
#include <string>
#include <vector>

#include "warplens/base/process.h"

namespace warplens::compile {

/// Runs ptxas or nvcc. No program of it gets more CPU time than WARPLENS_COMPILE_TIMEOUT says (seconds; 0: no limit;
/// 300 without it): ptxas may never end on control flow that no compiler writes. Errors: that, or it did not start.
Result<ProcessOutput> run_tool(const std::vector<std::string>& command);

}  // namespace warplens::compile
