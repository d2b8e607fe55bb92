// Options of the compiler that a file carries: a launch file or a found warplens.toml, which may come from anybody.
#pragma once
#include <string>
#include <vector>

#include "warplens/base/status.h"

namespace warplens::compile {

/// Those of `options` that a kernel needs and that run nothing. These are definitions, include folders within `folder`
/// (relative ones start there), architecture, optimisation, line information, the language standard. Any other option
/// runs a program or writes a file, or could name one that does. The error refers to the command line.
Result<std::vector<std::string>> carried_options(const std::vector<std::string>& options, const std::string& folder);

/// True if `text` is safe for nvcc, which hands its arguments to a shell: the shell would run text after $ or `.
bool is_safe_for_nvcc(const std::string& text);

}  // namespace warplens::compile
