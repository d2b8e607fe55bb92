#include "warplens/run/ptx/checks/only_user.h"

namespace warplens::simt::ptx_machine {
namespace {

using ptx::Category, ptx::Operand, ptx::OperandKind;

/// Registers of a function that hold what follows from one load.
class Slice {
 public:
  Slice(const ptx::Module& module, const ptx::Function& function)
      : module_(module), function_(function), holds_(function.registers.size()) {}

  /// The first operand of an instruction is written.
  void write(const ptx::Instruction& instruction) { add(function_.operands_of(instruction)[0]); }
  bool reads(const ptx::Instruction& instruction) const {
    if (instruction.guard != ptx::kNone && holds_[instruction.guard]) return true;
    for (uint32_t k = writes(instruction) ? 1 : 0; k < instruction.operand_count; ++k) {
      if (holds(function_.operands_of(instruction)[k])) return true;
    }
    return false;
  }
  /// Every lane computes for itself.
  bool keeps_to_lane(const ptx::Instruction& instruction) const {
    switch (module_.mnemonic(instruction).category) {
      case Category::kInteger:
      case Category::kFp16:
      case Category::kFp32:
      case Category::kFp64:
      case Category::kSpecial:
      case Category::kConversion:
      case Category::kMove:
      case Category::kLoad: return instruction.operand_count > 0;
      default: return false;
    }
  }
  bool to_memory(const ptx::Instruction& instruction) const {
    const Category category = module_.mnemonic(instruction).category;
    return category == Category::kStore || category == Category::kAtomic;
  }
  bool writes(const ptx::Instruction& instruction) const {
    return keeps_to_lane(instruction) || module_.mnemonic(instruction).opcode == ptx::Opcode::kAtom;
  }
  bool grew = false;

 private:
  template <typename Visit>
  void each(const Operand& operand, const Visit& visit) const {
    if (operand.kind == OperandKind::kRegister) visit(operand.id);
    for (uint32_t k = 0; k < operand.count; ++k) each(function_.operands[operand.first + k], visit);
  }
  void add(const Operand& operand) {
    each(operand, [&](uint32_t id) {
      grew |= !holds_[id];
      holds_[id] = true;
    });
  }
  bool holds(const Operand& operand) const {
    bool out = false;
    each(operand, [&](uint32_t id) { out |= holds_[id]; });
    return out;
  }
  const ptx::Module& module_;
  const ptx::Function& function_;
  std::vector<bool> holds_;
};

uint32_t both(uint32_t a, uint32_t b) {
  if (a == kNobody || a == b) return b;
  return b == kNobody ? a : kSeveral;
}

}  // namespace

uint32_t only_user(const Program& program, uint32_t row, const std::vector<uint32_t>& storing) {
  const InstructionPlace& load = program.places[row];
  const ptx::Function& function = program.module->functions[load.function];
  Slice slice(*program.module, function);
  if (!slice.writes(function.instructions[load.instruction])) return kSeveral;
  slice.write(function.instructions[load.instruction]);
  uint32_t user = kNobody;
  do {
    slice.grew = false;
    user = kNobody;
    for (uint32_t at = 0; at < program.places.size(); ++at) {
      if (program.places[at].function != load.function) continue;
      const ptx::Instruction& instruction = function.instructions[program.places[at].instruction];
      if (!slice.reads(instruction)) continue;
      if (slice.to_memory(instruction)) user = both(user, storing[at]);
      else if (!slice.keeps_to_lane(instruction)) return kSeveral;
      if (slice.writes(instruction)) slice.write(instruction);
    }
  } while (slice.grew && user != kSeveral);
  return user;
}

}  // namespace warplens::simt::ptx_machine
