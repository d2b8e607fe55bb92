#include "warplens/session/module.h"

#include "warplens/base/text.h"

namespace warplens::session {

Result<std::unique_ptr<Module>> Module::load(std::shared_ptr<const ptx::Module> text, MachineCode code) {
  auto module = std::make_unique<Module>();
  WL_ASSIGN(module->ptx, simt::ptx_machine::Module::load(std::move(text), module->memory));
  module->code = std::move(code);
  return module;
}

Result<std::unique_ptr<Module>> Module::load_code(std::string cubin) {
  auto module = std::make_unique<Module>();
  module->alone = std::make_unique<simt::sass_machine::LoadedCode>();
  WL_TRY(module->alone->load(cubin, module->memory));
  module->code = MachineCode("", "", std::move(cubin));
  return module;
}

Result<simt::ptx_machine::Module::Symbol> Module::symbol(std::string_view name) const {
  if (ptx) return ptx->symbol(name);
  const simt::sass_machine::LoadedCode::Placed* found = alone->variable(name);
  if (found == nullptr) return not_found(fmt::format("the cubin has no variable {}", name));
  return simt::ptx_machine::Module::Symbol{reinterpret_cast<void*>(found->address), found->size_bytes,
                                           found->names_functions};
}

}  // namespace warplens::session
