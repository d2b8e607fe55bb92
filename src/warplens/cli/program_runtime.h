// Whether the emulated CUDA runtime can take the place of the one that a program brings.
#pragma once
#include <string>

#include "warplens/base/status.h"

namespace warplens::cli {

/// Inspects the program's file. Errors: built for another machine; the emulated runtime cannot be used, with the
/// remedy. A script is fine: a program that it starts is inspected when it is loaded.
Status check_runtime_of(const std::string& path);

}  // namespace warplens::cli
