// The operands of a machine instruction as text: registers, predicates, numbers, addresses.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "warplens/isa/sass/disassemble.h"

namespace warplens::sass {

/// "R4, desc[UR6][R2.64+0x10]": operands as nvdisasm writes them, without scheduling hints (.reuse) and without unused
/// predicate outputs. Empty for an instruction without operands. Nothing if operands.def has no row for it or the word
/// has an unknown form. `instruction` is the result of disassemble() for the same word.
std::optional<std::string> operands_text(const Disassembled& instruction, const Word& word, int architecture);

/// Shown for operands that operands_text() does not know.
inline constexpr std::string_view kNotDecoded = "\u2026";

/// "@P0 LDG.E R4, desc[UR6][R2.64+0x10]"; "TEX.SCR.LL \u2026".
std::string whole_text(const Word& word, uint32_t address, int architecture);

}  // namespace warplens::sass
