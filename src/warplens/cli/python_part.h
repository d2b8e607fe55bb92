// Verbs that are parts of the Python package: the interpreter that has them.
#pragma once
#include <string>

#include "warplens/base/status.h"

namespace warplens::cli {

/// The interpreter that the package's own command runs in, or else the first python3, once it can import `modules`
/// ("mcp, warplens.agent.server"). The error gives the command that installs `packages` ("mcp"), or warplens itself.
Result<std::string> python_with(const std::string& modules, const std::string& packages);

}  // namespace warplens::cli
