// The kernels of a launch, ready for the emulator or a GPU.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "warplens/base/status.h"
#include "warplens/isa/cubin/cubin.h"
#include "warplens/isa/ptx/module.h"
#include "warplens/launch/description.h"
#include "warplens/launch/parameters.h"
#include "warplens/launch/signature.h"

namespace warplens::launch {

struct Source {
  std::string path, arch;
  std::string ptx, cubin;                     // either may be empty
  std::shared_ptr<const ptx::Module> module;  // null for a cubin
  std::shared_ptr<const cubin::Cubin> code;   // of a cubin, read; else null
  std::vector<std::string> kernels;           // for each launch, the mangled name
  std::vector<Signature> signatures;          // for each launch, as far as the source defines them
  std::string log;                            // the compiler's warnings
  bool compiled = false;                      // from CUDA C++ by us
  std::string compiler;                       // then "nvrtc" or "nvcc"
};

/// The parameter offsets of a kernel of `source.kernels`: by its PTX, or by the cubin without PTX.
Result<ParameterLayout> parameter_layout(const Source& source, const std::string& kernel);

/// Compiles or reads the file that `description` names: CUDA C++, PTX or a cubin, recognised by content. `arch` is the
/// target if the description has none ("" is sm_90, or the PTX's target). Arguments that do not fit the kernel are an
/// error.
Result<Source> load_source(const Description& description, const std::string& arch, bool ptx_first = false);

}  // namespace warplens::launch
