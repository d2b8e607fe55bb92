// The table of instructions as data: the operands of each form, for checks and documentation.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "warplens/isa/ptx/mnemonic.h"
#include "warplens/isa/ptx/suffix.h"

namespace warplens::ptx {

struct OpcodeRow {
  Opcode opcode;
  std::string_view text, doc;
  int since;  // PTX version times 10 that brought it: 78 is 7.8
  int first_form, form_count;
};

struct FormRow {
  Opcode opcode;
  std::string_view modifiers, operands;  // as written in instructions.def
  Category category;
  int operand_min, operand_max;  // kAnyOperands for call
};

inline constexpr int kAnyOperands = 1 << 20;

std::span<const OpcodeRow> opcodes();
std::span<const FormRow> forms();
const OpcodeRow& row(Opcode opcode);

/// The opcode with exactly this dotted name, or kUnknown.
Opcode opcode_named(std::string_view name);

/// The first form of `opcode` that takes `suffixes`, or -1.
int match_form(Opcode opcode, std::span<const Suffix> suffixes);

/// Words of a form that are not suffix: mistakes in instructions.def.
std::vector<std::string> unknown_words(const FormRow& form);

/// docs/ptx.md's list: one line an instruction, its forms under it.
std::string instruction_reference();

}  // namespace warplens::ptx
