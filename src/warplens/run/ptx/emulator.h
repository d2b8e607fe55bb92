// Runs PTX kernels on the CPU: loads a module, launches a kernel of it, and reads its counts.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "warplens/base/status.h"
#include "warplens/isa/ptx/module.h"
#include "warplens/simt/launch.h"
#include "warplens/simt/memory/variable.h"

namespace warplens::simt::ptx_machine {

struct Program;
struct ModuleSymbols;

/// A PTX module made ready to run: variables of the .global and .const spaces have memory, kernels are decoded when
/// first launched. Threads may not launch kernels of one Module at the same time.
class Module {
 public:
  /// Errors: an extern symbol without definition, an initialiser that cannot be resolved.
  /// `memory` must outlive the module.
  static Result<std::unique_ptr<Module>> load(std::shared_ptr<const ptx::Module> ptx, Memory& memory);
  ~Module();

  const ptx::Module& ptx() const { return *ptx_; }
  Memory& memory() const { return memory_; }

  /// A .global or .const variable, for the host to read and write. Errors: no such one (with the nearest).
  Result<Variable> variable(std::string_view name) const;
  std::optional<Variable> find_variable(std::string_view name) const;

  /// Names of the kernels, in the order of the file.
  std::vector<std::string> kernels() const;
  /// Errors: no such kernel, with the kernels there are.
  Result<const ptx::Function*> kernel(std::string_view name) const;

 private:
  friend struct Launcher;
  Module(std::shared_ptr<const ptx::Module> ptx, Memory& memory);
  std::shared_ptr<const ptx::Module> ptx_;
  Memory& memory_;
  std::unique_ptr<ModuleSymbols> symbols_;
  std::vector<Address> owned_;                      // allocations of its variables
  std::vector<std::unique_ptr<Program>> programs_;  // decoded kernels
};

/// Runs a kernel to its end. Errors are those of the request: no such kernel, wrong parameter size, too many threads.
/// An instruction that cannot be executed is a Fault only when it is reached. The kernel's own errors are in
/// LaunchResult::fault.
Result<LaunchResult> launch(Module& module, std::string_view kernel, const Launch& config);

}  // namespace warplens::simt::ptx_machine
