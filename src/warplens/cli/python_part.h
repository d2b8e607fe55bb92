// Verbs that are parts of the Python package: the interpreter that has them.
#pragma once
#include <string>
#include <vector>

#include "warplens/base/status.h"

namespace warplens::cli {

/// The interpreter that runs the package's own command, else the first python3, if it can import `modules` ("mcp,
/// warplens.agent.server"). The error gives the command that installs `packages` ("mcp"), or warplens itself.
Result<std::string> python_with(const std::string& modules, const std::string& packages);

/// The words that run `module` as `python -m` does, except that it cannot see modules of the current folder.
std::vector<std::string> module_words(const std::string& python, const std::string& module);

}  // namespace warplens::cli
