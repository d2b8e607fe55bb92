// NVRTC, NVIDIA's compiler as a library, loaded at run time.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "warplens/base/status.h"

namespace warplens::compile {

struct NvrtcOutput {
  std::string ptx, cubin;                      // cubin is empty for a virtual architecture ("compute_90")
  std::string log;                             // warnings
  std::map<std::string, std::string> lowered;  // name expression -> mangled name
};

/// Loads the library, so that copies of this process need not.
Status load_nvrtc(const std::string& library);

/// Compiles `source`, called `name` in diagnostics. Common C headers that NVRTC lacks (<cstdint>, <cmath>, <cstdio>,
/// ...) are provided, with the parts that device code can use. The error is the compiler's log.
Result<NvrtcOutput> compile_with_nvrtc(const std::string& library, const std::string& source, const std::string& name,
                                       const std::vector<std::string>& options,
                                       const std::vector<std::string>& expressions);

/// True if nvcc can compile a source that failed in `compile_with_nvrtc`: host code, host headers, nvcc's
/// options.
bool nvcc_may_help(const std::string& log);

}  // namespace warplens::compile
