#include "warplens/run/ptx/decode/register_uses.h"

namespace warplens::simt::ptx_machine {
namespace {

using ptx::OperandKind;

/// Calls f(register operand, whether it is the operand itself) for all registers of an operand.
template <typename F>
void each_register(const ptx::Function& function, const ptx::Operand& operand, bool whole, const F& f) {
  if (operand.kind == OperandKind::kRegister) return f(operand, whole);
  for (uint32_t i = 0; i < operand.count; ++i) each_register(function, function.operands[operand.first + i], false, f);
}

bool has_elements(OperandKind kind) {
  return kind == OperandKind::kVector || kind == OperandKind::kPair || kind == OperandKind::kList ||
         kind == OperandKind::kAddress || kind == OperandKind::kBracket;
}

}  // namespace

RegisterUses find_register_uses(const ptx::Module& module, const ptx::Function& function) {
  RegisterUses uses;
  uses.writes.resize(function.registers.size());
  uses.reads.resize(function.registers.size());
  for (uint32_t i = 0; i < function.instructions.size(); ++i) {
    const ptx::Instruction& instruction = function.instructions[i];
    const bool call = module.mnemonic(instruction).opcode == ptx::Opcode::kCall;
    if (instruction.guard != ptx::kNone) uses.reads[instruction.guard].push_back({i, ptx::kNone, false});
    for (uint32_t k = 0; k < instruction.operand_count; ++k) {
      const ptx::Operand& operand = function.operands_of(instruction)[k];
      if (operand.kind != OperandKind::kRegister && !has_elements(operand.kind)) continue;
      each_register(function, operand, true, [&](const ptx::Operand& r, bool whole) {
        if (k == 0 || call) uses.writes[r.id].push_back(i);
        if (k != 0 || !whole) uses.reads[r.id].push_back({i, k, whole && !r.negated});
      });
    }
  }
  return uses;
}

}  // namespace warplens::simt::ptx_machine
