// Verbs that are parts of the Python package: the interpreter that has them.
#pragma once
#include <string>
#include <vector>

#include "warplens/base/status.h"

namespace warplens::cli {

/// The interpreter that the package's own command runs in, or else the first python3, once it can import `modules`
/// ("mcp, warplens.agent.server"). The error gives the command that installs `packages` ("mcp"), or warplens itself.
Result<std::string> python_with(const std::string& modules, const std::string& packages);

/// The words that run `module` as `python -m` does, but for modules of the current folder, which it does not see.
std::vector<std::string> module_words(const std::string& python, const std::string& module);

}  // namespace warplens::cli
