// Operands of one function: parsed into Function::operands; labels are resolved when their scope ends.
#pragma once
#include <vector>

#include "warplens/isa/ptx/parse_state.h"

namespace warplens::ptx {

/// A name that may be a label further down.
struct Pending {
  enum Place : uint8_t { kOperand, kBranchTarget } place = kOperand;
  uint32_t index = 0, slot = 0;  // operand; or branch_targets and its label
  std::string_view name;
  Position position;
};

class OperandParser {
 public:
  OperandParser(ParseState& state, Function& function) : state_(state), function_(function) {}
  /// Parses up to the semicolon and fills first_operand and operand_count.
  bool parse_all(Instruction& instruction, Opcode opcode);
  std::vector<Pending> pending;  // operands whose names are not known yet

 private:
  bool operand(Operand& out, int depth);
  bool named(Operand& out, int depth);
  bool component(Operand& out);
  bool index(Operand& out);
  bool bracket(Operand& out, int depth);
  bool sequence(char close, OperandKind kind, Operand& out, int depth);
  bool pair(Operand& out, int depth);
  /// Moves the scratch stack from `begin` on into the function's operands.
  void settle(size_t begin, uint32_t& first, uint32_t& count);
  void note_unresolved(size_t begin);

  ParseState& state_;
  Function& function_;
  bool call_ = false, branch_ = false;
  std::vector<Operand> scratch_;
  std::vector<Pending> unresolved_;  // of the current instruction; operands of kind kLabel index it
};

}  // namespace warplens::ptx
