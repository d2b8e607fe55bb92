// A module as programs hold it: PTX, machine code, or both, in device memory, and its kernels ready to be launched.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "warplens/report/code_text.h"
#include "warplens/run/ptx/emulator.h"
#include "warplens/run/sass/code/loaded_code.h"
#include "warplens/run/sass/code_cache.h"

namespace warplens::session {

/// The machine code of a PTX module: a cubin, or the assembled PTX, made on first use.
class MachineCode {
 public:
  MachineCode() = default;
  /// `kernels`: those that will be used, only they are assembled; empty: all.
  MachineCode(std::string ptx, std::string arch, std::string cubin = {}, std::vector<std::string> kernels = {})
      : ptx_(std::move(ptx)),
        arch_(std::move(arch)),
        cubin_(std::move(cubin)),
        kernels_(std::move(kernels)),
        made_(!cubin_.empty()) {}
  /// Empty if there is none: see why_none.
  std::string_view cubin();
  const std::string& why_none() const { return why_none_; }
  /// Other machine code from here on. Returns whether it is another.
  bool replace(std::string_view cubin);

 private:
  std::string ptx_, arch_, cubin_, why_none_;
  std::vector<std::string> kernels_;
  bool made_ = false;
};

class Module;

/// A kernel with machine code, kept from launch to launch.
struct Kernel {
  Module* module = nullptr;  // that it is of
  std::string name;          // mangled
  simt::sass_machine::Program program;
  simt::sass_machine::CodeCache code;  // of `program`
  const ptx::Function* ptx = nullptr;  // the code that checks follow, if it can be followed from begin to end
  bool large_clusters = false;         // cudaFuncSetAttribute allowed those that not every GPU has
  uint32_t dynamic_shared_bytes = 0;   // the limit that cudaFuncSetAttribute set; 0: the default
  bool stale = true;                   // `program` holds constants as they may no longer be
};

class Module {
  std::unique_ptr<simt::Memory> own_memory_;

 public:
  /// PTX, in memory of its own. Errors: those of simt::ptx_machine::Module::load.
  static Result<std::unique_ptr<Module>> load(std::shared_ptr<const ptx::Module> text, MachineCode code = {});
  /// Machine code, in `memory`; nullptr: in memory of its own. `text`: its PTX, which checks follow and which has its
  /// variables; nullptr: none. PTX that cannot be run is left out: why_no_ptx. Without PTX, variables that `elsewhere`
  /// knows are there. Errors: those of LoadedCode::load.
  static Result<std::unique_ptr<Module>> load_code(std::string cubin, simt::Memory* memory = nullptr,
                                                   std::shared_ptr<const ptx::Module> text = nullptr,
                                                   const simt::sass_machine::FindVariable& elsewhere = {});

  /// Errors: no such one.
  Result<simt::Variable> variable(std::string_view name) const;
  /// With constants as they are now. Errors: no machine code; those of simt::sass_machine::load_program.
  Result<Kernel*> kernel(const std::string& name);
  /// The host has written to a variable: kernels that hold constants of it are made anew.
  void constants_changed();
  /// The host has the address of a constant: it may write there by any call, so kernels are made anew each time. So it
  /// is from the start where the module's memory is its own.
  void constants_exposed() { exposed_ = true; }
  /// Its instructions and their lines, for reports.
  const report::CodeText& text_of(const Kernel& kernel);

  /// It was loaded as machine code, which its launches then run.
  bool is_code() const { return loaded_ != nullptr; }
  /// Empty if there is none: see why_no_cubin.
  std::string_view cubin() { return loaded_ ? loaded_->cubin() : code_.cubin(); }
  const std::string& why_no_cubin() const { return code_.why_none(); }
  /// Other machine code for its PTX.
  void replace_code(std::string_view cubin);

  simt::Memory& memory;
  std::unique_ptr<simt::ptx_machine::Module> ptx;  // nullptr: there is none
  std::string why_no_ptx;

 private:
  explicit Module(simt::Memory* shared);

  MachineCode code_;  // of PTX
  std::unique_ptr<simt::sass_machine::LoadedCode> loaded_;
  std::map<std::string, std::unique_ptr<Kernel>> kernels_;
  report::CodeTexts texts_;
  bool exposed_ = false;
};

}  // namespace warplens::session
