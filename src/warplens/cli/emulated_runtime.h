// The emulated CUDA runtime that lies beside the program, and starting programs that use it.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "warplens/base/status.h"
#include "warplens/cli/verb.h"

namespace warplens::cli {

/// The library's path: beside this program in a build, under lib/ once it is installed. The error says where it was looked
/// for.
Result<std::string> emulated_runtime();

struct EmulatedProgram {
  std::string path;
  std::vector<std::pair<std::string, std::string>> variables;  // of its environment
};
/// The program behind --, on the GPU that --device and --devices ask for. Errors: no such program, one that carries its
/// own runtime, no such GPU.
Result<EmulatedProgram> emulated_program(const Invocation& invocation);

/// Makes this process `program`, with `words` as its argv. Returns only where that fails.
Status become(const std::string& program, const std::vector<std::string>& words);

}  // namespace warplens::cli
