// Options of the compiler that a file carries: a launch file or a found warplens.toml, which may come from anybody.
#pragma once
#include <string>
#include <vector>

#include "warplens/base/status.h"

namespace warplens::compile {

/// The options among `options` that a kernel needs and that cannot act: definitions, folders of headers within `folder`
/// (where relative ones start), the architecture, optimisation, line information, the language's standard. Any other
/// runs a program, writes a file or names what does: the error says so, and that the command line takes it.
Result<std::vector<std::string>> carried_options(const std::vector<std::string>& options, const std::string& folder);

/// Whether nvcc may get `text`: it hands its arguments to a shell, which would run what stands behind $ or `.
bool is_safe_for_nvcc(const std::string& text);

}  // namespace warplens::compile
