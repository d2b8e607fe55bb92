#include "warplens/session/module.h"

#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/run/ptx/can_run.h"

namespace warplens::session {
namespace {

using simt::sass_machine::FindVariable;

/// The variables of the PTX; nullptr: those that are elsewhere.
FindVariable variables_of(const simt::ptx_machine::Module* ptx, const FindVariable& elsewhere = {}) {
  if (ptx == nullptr) return elsewhere;
  return [ptx](std::string_view name) { return ptx->find_variable(name); };
}

/// The kernel's PTX where it can be followed from its begin to its end; nullptr where it cannot.
const ptx::Function* followed(const simt::ptx_machine::Module* module, const std::string& kernel) {
  if (module == nullptr) return nullptr;
  const Result<const ptx::Function*> found = module->kernel(kernel);
  if (!found.ok()) return nullptr;
  const bool runs = std::ranges::all_of(module->ptx().functions, [&](const ptx::Function& function) {
    return (function.is_kernel && &function != *found) || simt::ptx_machine::can_run(module->ptx(), function);
  });
  return runs ? *found : nullptr;
}

}  // namespace

Module::Module(simt::Memory* shared)
    : own_memory_(shared == nullptr ? std::make_unique<simt::Memory>() : nullptr),
      memory(shared == nullptr ? *own_memory_ : *shared),
      exposed_(shared == nullptr) {}

Result<std::unique_ptr<Module>> Module::load(std::shared_ptr<const ptx::Module> text, MachineCode code) {
  std::unique_ptr<Module> module(new Module(nullptr));
  WL_ASSIGN(module->ptx, simt::ptx_machine::Module::load(std::move(text), module->memory));
  module->code_ = std::move(code);
  return module;
}

Result<std::unique_ptr<Module>> Module::load_code(std::string cubin, simt::Memory* memory,
                                                  std::shared_ptr<const ptx::Module> text,
                                                  const FindVariable& elsewhere) {
  std::unique_ptr<Module> module(new Module(memory));
  if (text) {
    Result<std::unique_ptr<simt::ptx_machine::Module>> ptx =
        simt::ptx_machine::Module::load(std::move(text), module->memory);
    if (ptx.ok()) module->ptx = std::move(*ptx);
    else module->why_no_ptx = ptx.status().message();
  }
  module->loaded_ = std::make_unique<simt::sass_machine::LoadedCode>();
  WL_TRY(module->loaded_->load(std::move(cubin), module->memory, variables_of(module->ptx.get(), elsewhere)));
  return module;
}

Result<simt::Variable> Module::variable(std::string_view name) const {
  if (!loaded_) return ptx->variable(name);
  const simt::Variable* found = loaded_->variable(name);
  return found != nullptr ? Result<simt::Variable>(*found) : not_found(fmt::format("no device variable {}", name));
}

Result<Kernel*> Module::kernel(const std::string& name) {
  std::unique_ptr<Kernel>& kernel = kernels_[name];
  if (!kernel) {
    kernel = std::make_unique<Kernel>();
    kernel->module = this;
    kernel->name = name;
    kernel->ptx = followed(ptx.get(), name);
  }
  if (!kernel->stale && !exposed_) return kernel.get();
  WL_ASSIGN(simt::sass_machine::Program program,
            loaded_ ? loaded_->program(name)
                    : simt::sass_machine::load_program(code_.cubin(), name, variables_of(ptx.get())));
  // Variables that the module does not know lie in the program itself.
  if (kernel->program.code != program.code || !program.variables.empty()) kernel->code = {};
  kernel->program = std::move(program);
  kernel->stale = false;
  return kernel.get();
}

void Module::constants_changed() {
  for (const auto& [name, kernel] : kernels_) kernel->stale = true;
}

const report::CodeText& Module::text_of(const Kernel& kernel) {
  return texts_.of(cubin(), kernel.name, kernel.program.code.size());
}

void Module::replace_code(std::string_view cubin) {
  if (!code_.replace(cubin)) return;
  texts_ = {};
  constants_changed();
}

}  // namespace warplens::session
