#include "warplens/build/compile/assemble.h"
#include "warplens/isa/ptx/only_kernels.h"
#include "warplens/session/module.h"

namespace warplens::session {

std::string_view MachineCode::cubin() {
  if (made_) return cubin_;
  made_ = true;
  Result<compile::Assembled> made = compile::assemble(ptx::only_kernels(ptx_, kernels_), arch_);
  if (!made.ok() && !kernels_.empty()) made = compile::assemble(ptx_, arch_);  // one may need another
  if (made.ok()) cubin_ = std::move(made->cubin);
  else why_none_ = made.status().message();
  return cubin_;
}

bool MachineCode::replace(std::string_view cubin) {
  if (made_ && cubin_ == cubin) return false;
  made_ = true;
  cubin_ = cubin;
  return true;
}

}  // namespace warplens::session
