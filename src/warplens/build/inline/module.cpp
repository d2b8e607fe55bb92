#include "warplens/build/inline/module.h"

#include "warplens/build/compile/compile.h"

namespace warplens::cuda {

Result<Module> compile_and_load(const Device& device, const std::string& source,
                                const std::vector<std::string>& options) {
  WL_ASSIGN(const std::string arch, device.arch());
  WL_ASSIGN(compile::Compiled compiled, compile::compile({.source = source, .arch = arch, .options = options}));
  return Module::load(device, compiled.cubin.empty() ? compiled.ptx : compiled.cubin);
}

}  // namespace warplens::cuda
