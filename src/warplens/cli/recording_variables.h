// The environment variables that configure a program's recorder, on a GPU and on an emulated one.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "warplens/cli/verb.h"

namespace warplens::cli {

using Variables = std::vector<std::pair<std::string, std::string>>;

/// Kinds of events, as --kernels-only, --api, --memory and --host choose them.
std::string recorded_levels(const Invocation& invocation);

/// For --torch, --torch-shapes and --cpu: the folder of the sitecustomize that works inside Python programs, put before
/// PYTHONPATH. `library`: the recorder's. Errors: it is not installed.
Status add_python_part(const Invocation& invocation, const std::string& library, Variables& to);

/// For a program whose emulated runtime writes the recording itself, to `output`. Errors: the program cannot be
/// started, or a flag needs something that emulated programs lack.
Result<Variables> variables_for_emulation(const Invocation& invocation, const std::string& output);

}  // namespace warplens::cli
