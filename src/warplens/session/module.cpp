#include "warplens/session/module.h"

namespace warplens::session {

Result<std::unique_ptr<Module>> Module::load(std::shared_ptr<const ptx::Module> text, MachineCode code) {
  auto module = std::make_unique<Module>();
  WL_ASSIGN(module->ptx, simt::ptx_machine::Module::load(std::move(text), module->memory));
  module->code = std::move(code);
  return module;
}

}  // namespace warplens::session
