// Whether the emulated CUDA runtime can take the place of the one that a program brings.
#pragma once
#include <string>

#include "warplens/base/status.h"

namespace warplens::cli {

/// Looks at the program's file. Errors: built for another machine; no place for the emulated runtime, with what to do.
/// A script is fine: what it starts is looked at when it is loaded.
Status check_runtime_of(const std::string& path);

}  // namespace warplens::cli
