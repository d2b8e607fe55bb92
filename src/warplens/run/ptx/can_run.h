// The PTX that the emulator runs.
#pragma once
#include "warplens/isa/ptx/module.h"

namespace warplens::simt::ptx_machine {

/// True if every instruction of the function can be executed.
bool can_run(const ptx::Module& module, const ptx::Function& function);

}  // namespace warplens::simt::ptx_machine
