// The counts of an atomic request's addresses.
#pragma once
#include "warplens/simt/counts.h"
#include "warplens/simt/memory/memory.h"

namespace warplens::simt {

/// Adds the counts of a request's addresses: distinct ones, the most lanes on one, and over sectors the most lanes on
/// one address in each.
void count_multiplicity(InstructionCounts& row, const Address* addresses, uint32_t mask);

}  // namespace warplens::simt
