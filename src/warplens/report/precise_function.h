// Precise functions of floats, recognised by a constant or a check that only their inlined machine code has.
#pragma once
#include <cstdint>
#include <span>

#include "warplens/isa/sass/instructions.h"
#include "warplens/isa/sass/word.h"

namespace warplens::report {

struct PreciseFunction {
  const char* name;
  const char* instead;  // the faster, less precise alternative
  uint32_t mark;        // an immediate that one instruction of every call has; 0: FCHK is its mark
  uint32_t spared;      // instructions of a warp that the quicker one does without
};

/// Ptxas 13.0 for sm_90; lengths are those of the way that ordinary numbers take.
std::span<const PreciseFunction> precise_functions();

/// The function whose mark this instruction is, an index of precise_functions(); -1: none.
int precise_function(sass::Opcode opcode, const sass::Word& word);

}  // namespace warplens::report
