// A machine instruction as text, with the facts that it gives by itself.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "warplens/isa/sass/instructions.h"

namespace warplens::sass {

struct Disassembled {
  uint32_t address = 0;  // in its function's section; 16 bytes an instruction
  Opcode opcode = Opcode::kUnknown;
  uint8_t width_bytes = 0;  // per lane, of loads, stores, atomics and asynchronous copies; 0 otherwise
  uint8_t predicate = 7;    // guard; 7 is always true
  bool predicate_negated = false;
  bool uniform_predicate = false;
  bool is_branch = false;   // may go elsewhere: BRA, BRX, CALL, RET, EXIT, ...
  bool has_target = false;  // ... to `target`, an address in the same section
  uint32_t target = 0;
  std::string_view name;  // "LDG"; empty when not in the table
  std::string modifiers;  // ".E.128": those that the table knows, or the code of an instruction that it does not

  bool known() const { return opcode != Opcode::kUnknown; }
  Category category() const { return instruction(opcode).category; }
  MemorySpace space() const { return space_of(instruction(opcode).access); }
  /// "LDG.E.128"; "0x1ff" when not in the table.
  std::string full_name() const;
  /// "@!P0 LDG.E.128"
  std::string text() const;
};

/// `address` serves to compute branch targets; `architecture` is 80, 90, ...
Disassembled disassemble(const Word& word, uint32_t address, int architecture);

/// The byte distance of a branch, from the next instruction.
int64_t branch_distance(const Word& word, int architecture);

}  // namespace warplens::sass
