// A cubin loaded into device memory, with its variables and kernels. No PTX is needed.
#pragma once
#include <map>
#include <string>
#include <string_view>

#include "warplens/base/status.h"
#include "warplens/run/sass/program.h"
#include "warplens/simt/launch.h"
#include "warplens/simt/memory/memory.h"

namespace warplens::simt::sass_machine {

class LoadedCode {
 public:
  /// Variables that `elsewhere` knows are there. Errors: no cubin, no memory left.
  Status load(std::string cubin, Memory& memory, const FindVariable& elsewhere = {});

  const std::string& cubin() const { return cubin_; }
  /// nullptr if there is none.
  const Variable* variable(std::string_view name) const;
  /// Constants are as they are now. Errors: those of load_program.
  Result<Program> program(const std::string& kernel) const;

 private:
  std::string cubin_;
  std::map<std::string, Variable, std::less<>> variables_;
};

}  // namespace warplens::simt::sass_machine
