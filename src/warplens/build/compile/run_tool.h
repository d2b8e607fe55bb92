// The toolkit's programs and libraries, with a limit on their time.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "warplens/base/process.h"

namespace warplens::compile {

/// Runs ptxas or nvcc. Each process may use at most WARPLENS_COMPILE_TIMEOUT seconds of CPU time (default 300; 0: no
/// limit): ptxas may never end on control flow that no compiler writes. Errors: the limit; it did not start.
Result<ProcessOutput> run_tool(const std::vector<std::string>& command);

/// Runs `work` in a copy of this process, within the same limit, and gives its text. It calls `name`, a compiler that
/// is a library. Errors: the limit; it crashed.
Result<std::string> run_library(const std::string& name, const std::function<std::string()>& work);

}  // namespace warplens::compile
