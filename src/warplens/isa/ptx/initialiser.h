// Initialisers of variables: values to bytes, addresses to relocations.
#pragma once
#include "warplens/isa/ptx/parse_state.h"

namespace warplens::ptx {

/// Fills data (as far as values are given), relocations, and the extent of an open array.
bool parse_initialiser(ParseState& state, Variable& variable);

/// The bits of a value written as `immediate`, converted to `type`.
uint64_t convert_immediate(uint64_t bits, Immediate immediate, Type type);

}  // namespace warplens::ptx
