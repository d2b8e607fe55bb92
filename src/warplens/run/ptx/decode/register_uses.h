// Which instructions of a PTX function write and read each of its registers.
#pragma once
#include <cstdint>
#include <vector>

#include "warplens/isa/ptx/module.h"

namespace warplens::simt::ptx_machine {

struct RegisterUse {
  uint32_t instruction = 0;
  uint32_t operand = 0;  // position among the instruction's operands, from 0
  bool whole = false;    // it is the operand, not an element of one, and not negated
};

struct RegisterUses {
  /// By register. An instruction's first operand counts as written, though a store only reads it, and so do all
  /// operands of a call.
  std::vector<std::vector<uint32_t>> writes;
  std::vector<std::vector<RegisterUse>> reads;  // guards included: operand is kNone
};

RegisterUses find_register_uses(const ptx::Module& module, const ptx::Function& function);

}  // namespace warplens::simt::ptx_machine
