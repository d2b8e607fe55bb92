// A PTX module as programs hold it: in memory of its own, with its machine code.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "warplens/report/code_text.h"
#include "warplens/run/ptx/emulator.h"
#include "warplens/run/sass/loaded_code.h"
#include "warplens/simt/memory/memory.h"

namespace warplens::session {

/// The machine code of a module: a cubin, or what the assembler makes of its PTX when it is first asked for.
class MachineCode {
 public:
  MachineCode() = default;
  /// `kernels`: those that will be asked for, only they are assembled; empty: all.
  MachineCode(std::string ptx, std::string arch, std::string cubin = {}, std::vector<std::string> kernels = {})
      : ptx_(std::move(ptx)),
        arch_(std::move(arch)),
        cubin_(std::move(cubin)),
        kernels_(std::move(kernels)),
        made_(!cubin_.empty()) {}
  /// Empty when there is none: see why_none.
  std::string_view cubin();
  const std::string& why_none() const { return why_none_; }
  /// Other machine code from here on.
  void replace(std::string_view cubin);
  /// What inspecting the cubin says of a kernel.
  const report::CodeText& text(const std::string& kernel, size_t instructions) {
    return texts_.of(cubin(), kernel, instructions);
  }

 private:
  std::string ptx_, arch_, cubin_, why_none_;
  std::vector<std::string> kernels_;
  bool made_ = false;
  report::CodeTexts texts_;
};

struct Module {
  /// Errors: those of simt::ptx_machine::Module::load.
  static Result<std::unique_ptr<Module>> load(std::shared_ptr<const ptx::Module> text, MachineCode code = {});
  /// Machine code alone. Errors: those of LoadedCode::load.
  static Result<std::unique_ptr<Module>> load_code(std::string cubin);

  /// Bytes of a variable. Errors: no such one.
  Result<simt::ptx_machine::Module::Symbol> symbol(std::string_view name) const;

  simt::Memory memory;
  std::unique_ptr<simt::ptx_machine::Module> ptx;         // one of these
  std::unique_ptr<simt::sass_machine::LoadedCode> alone;  // is there
  MachineCode code;
};

}  // namespace warplens::session
