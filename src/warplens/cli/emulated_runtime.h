// The emulated CUDA runtime that lies beside the program, and starting programs that use it.
#pragma once
#include <string>
#include <vector>

#include "warplens/base/status.h"

namespace warplens::cli {

/// The library's path: beside this program in a build, under lib/ once it is installed. The error says where it was looked
/// for.
Result<std::string> emulated_runtime();

/// Makes this process `program`, with `words` as its argv. Returns only where that fails.
Status become(const std::string& program, const std::vector<std::string>& words);

}  // namespace warplens::cli
