// What is counted of the addresses of an atomic request.
#pragma once
#include "warplens/simt/counts.h"
#include "warplens/simt/memory/memory.h"

namespace warplens::simt {

/// Adds what is counted of a request's addresses: distinct ones, the most lanes on one, and over sectors the most lanes
/// on one address in each.
void count_multiplicity(InstructionCounts& row, const Address* addresses, uint32_t mask);

}  // namespace warplens::simt
