// The operands of a machine instruction as text: registers, predicates, numbers, addresses.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "warplens/isa/sass/disassemble.h"

namespace warplens::sass {

/// "R4, desc[UR6][R2.64+0x10]": as nvdisasm writes them, but without hints of scheduling (.reuse) and without
/// predicates that could be set and are not. Empty for an instruction that has none; nothing where operands.def has no
/// row for it or the word has a form that is not known. `instruction` is what disassemble() says of the same word.
std::optional<std::string> operands_text(const Disassembled& instruction, const Word& word, int architecture);

/// Stands for operands that operands_text() does not know.
inline constexpr std::string_view kNotDecoded = "\u2026";

/// "@P0 LDG.E R4, desc[UR6][R2.64+0x10]"; "TEX.SCR.LL \u2026".
std::string whole_text(const Word& word, uint32_t address, int architecture);

}  // namespace warplens::sass
