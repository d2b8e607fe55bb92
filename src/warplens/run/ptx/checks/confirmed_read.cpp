#include "warplens/run/ptx/checks/confirmed_read.h"

#include <algorithm>
#include <vector>

namespace warplens::simt::ptx_machine {
namespace {

using ptx::Instruction, ptx::Opcode, ptx::Operand, ptx::OperandKind;

/// An address as what it was computed from: registers that only copy, convert or add a constant are seen through.
struct Base {
  Operand root;
  uint64_t offset = 0;
  bool operator==(const Base& other) const {
    return root.kind == other.root.kind && root.id == other.root.id && root.symbol == other.root.symbol &&
           offset == other.offset;
  }
};

class Flow {
 public:
  Flow(const ptx::Module& module, const ptx::Function& function)
      : module_(module), function_(function), definition_(function.registers.size(), kNone) {
    for (uint32_t at = 0; at < function.instructions.size(); ++at) {
      const Instruction& instruction = function.instructions[at];
      if (instruction.operand_count > 0) define(operand(instruction, 0), at);
    }
  }

  Opcode opcode(const Instruction& instruction) const { return module_.mnemonic(instruction).opcode; }
  const Operand& operand(const Instruction& instruction, uint32_t k) const {
    return function_.operands_of(instruction)[k];
  }

  /// Of an [address] operand.
  Base base_of(const Operand& address) const {
    Base base{function_.operands[address.first], address.value};
    for (uint32_t steps = 0; base.root.kind == OperandKind::kRegister && steps < kMostSteps; ++steps) {
      const uint32_t at = definition_[base.root.id];
      if (at == kNone || at == kSeveral) break;
      const Instruction& made = function_.instructions[at];
      const bool copies = opcode(made) == Opcode::kMov || opcode(made) == Opcode::kCvta,
                 adds = opcode(made) == Opcode::kAdd && operand(made, 2).kind == OperandKind::kImmediate;
      if (made.guard != ptx::kNone || (!copies && !adds)) break;
      if (adds) base.offset += operand(made, 2).value;
      base.root = operand(made, 1);
    }
    return base;
  }

  /// Whether `to` holds the value of register `from`, maybe by way of others.
  bool is_copy(uint32_t from, uint32_t to) const {
    std::vector<bool> holds(function_.registers.size());
    holds[from] = true;
    for (bool grew = true; grew && !holds[to];) {
      grew = false;
      for (const Instruction& instruction : function_.instructions) {
        if (opcode(instruction) != Opcode::kMov || instruction.operand_count < 2) continue;
        const Operand &target = operand(instruction, 0), &source = operand(instruction, 1);
        if (target.kind != OperandKind::kRegister || source.kind != OperandKind::kRegister) continue;
        if (!holds[source.id] || holds[target.id]) continue;
        holds[target.id] = grew = true;
      }
    }
    return holds[to];
  }

  bool swaps_when_equal(const Instruction& instruction) const {
    return opcode(instruction) == Opcode::kAtom && module_.mnemonic(instruction).has(ptx::Mod::kCas);
  }

 private:
  static constexpr uint32_t kNone = 0xffffffff, kSeveral = 0xfffffffe, kMostSteps = 64;

  void define(const Operand& target, uint32_t at) {
    if (target.kind == OperandKind::kRegister) definition_[target.id] = definition_[target.id] == kNone ? at : kSeveral;
    for (uint32_t k = 0; k < target.count; ++k) define(function_.operands[target.first + k], at);
  }

  const ptx::Module& module_;
  const ptx::Function& function_;
  std::vector<uint32_t> definition_;  // by register: the one instruction that writes it
};

}  // namespace

bool is_confirmed(const Program& program, uint32_t row) {
  const InstructionPlace& place = program.places[row];
  const ptx::Function& function = program.module->functions[place.function];
  const Flow flow(*program.module, function);
  const Instruction& load = function.instructions[place.instruction];
  if (flow.opcode(load) != Opcode::kLd || flow.operand(load, 0).kind != OperandKind::kRegister) return false;
  const Base from = flow.base_of(flow.operand(load, 1));
  return std::ranges::any_of(function.instructions, [&](const Instruction& swap) {
    if (!flow.swaps_when_equal(swap)) return false;
    const Operand& compared = flow.operand(swap, 2);
    return flow.base_of(flow.operand(swap, 1)) == from && compared.kind == OperandKind::kRegister &&
           flow.is_copy(flow.operand(load, 0).id, compared.id);
  });
}

}  // namespace warplens::simt::ptx_machine
