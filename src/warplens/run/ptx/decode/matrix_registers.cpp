#include "warplens/run/ptx/decode/matrix_registers.h"

#include <set>

#include "warplens/run/ptx/checks/checker.h"
#include "warplens/run/ptx/decode/decode.h"

namespace warplens::simt::ptx_machine {
namespace {

using ptx::Opcode;
using ptx::OperandKind;

bool is_wgmma(const ptx::Mnemonic& m) {
  return m.opcode == Opcode::kWgmmaMmaAsync || m.opcode == Opcode::kWgmmaMmaAsyncSp;
}

template <typename F>
void each_register(const ptx::Function& function, const ptx::Operand& operand, const F& f) {
  if (operand.kind == OperandKind::kRegister) return f(operand.id);
  for (uint32_t i = 0; i < operand.count; ++i) each_register(function, function.operands[operand.first + i], f);
}

bool has_registers(OperandKind kind) {
  return kind == OperandKind::kRegister || kind == OperandKind::kVector || kind == OperandKind::kPair ||
         kind == OperandKind::kList || kind == OperandKind::kAddress || kind == OperandKind::kBracket;
}

bool is_copy(const ptx::Module& module, const ptx::Function& function, const ptx::Instruction& instruction) {
  if (module.mnemonic(instruction).opcode != Opcode::kMov || instruction.operand_count != 2) return false;
  const auto operands = function.operands_of(instruction);
  return operands[0].kind == OperandKind::kRegister && operands[1].kind == OperandKind::kRegister;
}

/// D of every wgmma, A where it is in registers, and what mov copies them to.
std::set<uint32_t> registers_of_wgmma(const ptx::Module& module, const ptx::Function& function) {
  std::set<uint32_t> found;
  for (const ptx::Instruction& instruction : function.instructions) {
    if (!is_wgmma(module.mnemonic(instruction))) continue;
    for (uint32_t k = 0; k < 2 && k < instruction.operand_count; ++k) {
      const ptx::Operand& operand = function.operands_of(instruction)[k];
      if (operand.kind == OperandKind::kVector)
        each_register(function, operand, [&](uint32_t id) { found.insert(id); });
    }
  }
  for (bool grows = !found.empty(); grows;) {
    grows = false;
    for (const ptx::Instruction& instruction : function.instructions) {
      if (!is_copy(module, function, instruction)) continue;
      const auto operands = function.operands_of(instruction);
      if (found.contains(operands[1].id)) grows |= found.insert(operands[0].id).second;
    }
  }
  return found;
}

}  // namespace

std::map<uint32_t, MatrixRegisterUse> find_matrix_register_uses(const ptx::Module& module,
                                                                const ptx::Function& function) {
  std::map<uint32_t, MatrixRegisterUse> uses;
  const std::set<uint32_t> watched = registers_of_wgmma(module, function);
  if (watched.empty()) return uses;
  for (uint32_t i = 0; i < function.instructions.size(); ++i) {
    const ptx::Instruction& instruction = function.instructions[i];
    if (is_wgmma(module.mnemonic(instruction))) continue;
    MatrixRegisterUse use;
    for (uint32_t k = 0; k < instruction.operand_count; ++k) {
      const ptx::Operand& operand = function.operands_of(instruction)[k];
      if (!has_registers(operand.kind)) continue;
      const bool writes = k == 0 && operand.kind != OperandKind::kAddress && operand.kind != OperandKind::kBracket;
      each_register(function, operand, [&](uint32_t id) {
        if (watched.contains(id)) (writes ? use.writes : use.reads).push_back(id);
      });
    }
    if (use.reads.empty() && use.writes.empty()) continue;
    use.copies = is_copy(module, function, instruction) && use.reads.size() == 1;
    uses.emplace(i, std::move(use));
  }
  return uses;
}

/// Before an instruction that touches registers of wgmma.
void Decoding::emit_register_check(uint32_t index) {
  const auto found = matrix_uses_.find(index);
  if (found == matrix_uses_.end()) return;
  const MatrixRegisterUse& use = found->second;
  auto& slots = context_.program.slots;
  Op op;
  op.run = &run_register_check;
  op.a = static_cast<uint32_t>(slots.size());
  op.b = static_cast<uint32_t>(use.reads.size());
  op.c = static_cast<uint32_t>(use.writes.size());
  op.copies = use.copies;
  op.row = code().first_row + index;
  for (const auto* list : {&use.reads, &use.writes}) {
    for (const uint32_t id : *list) slots.push_back(register_slot(id));
  }
  if (instruction_->guard != ptx::kNone) {
    op.guard = register_slot(instruction_->guard);
    op.guard_flip = instruction_->guard_negated;
  }
  emit_before(op);
}

}  // namespace warplens::simt::ptx_machine
