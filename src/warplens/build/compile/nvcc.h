// nvcc, for sources that hold host code too.
#pragma once
#include <string>
#include <vector>

#include "warplens/base/status.h"

namespace warplens::compile {

struct NvccOutput {
  std::string ptx;
  std::string log;  // warnings
};

/// Runs `nvcc -ptx`. `path` is the source file; "" compiles the text `source` in a temporary folder. `expressions` are
/// kernel template instances to make. The error is the compiler's output.
Result<NvccOutput> compile_with_nvcc(const std::string& nvcc, const std::string& source, const std::string& path,
                                     const std::string& arch, const std::vector<std::string>& options,
                                     const std::vector<std::string>& expressions);

}  // namespace warplens::compile
