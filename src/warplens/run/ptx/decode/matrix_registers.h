// Which instructions touch registers that wgmma works on asynchronously, for the check of races.
#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "warplens/isa/ptx/module.h"

namespace warplens::simt::ptx_machine {

/// Registers of wgmma that an instruction touches, and copies of them made by mov.
struct MatrixRegisterUse {
  std::vector<uint32_t> reads, writes;
  bool copies = false;  // a mov from one register to another
};

/// By instruction; wgmma itself and instructions that touch none are not there.
std::map<uint32_t, MatrixRegisterUse> find_matrix_register_uses(const ptx::Module& module,
                                                                const ptx::Function& function);

}  // namespace warplens::simt::ptx_machine
