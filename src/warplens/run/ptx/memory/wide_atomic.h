// atom.exch and atom.cas of 128 bits.
#pragma once
#include "warplens/run/ptx/program.h"

namespace warplens::simt::ptx_machine {

/// Op: a + value = address; b, c = operand and second one of cas (kNoSlot: exchange); d = old value (kNoSlot: none);
/// range. Each value has its low and high halves 256 bytes apart.
void run_wide_atomic(Warp& warp, const Op& op);

}  // namespace warplens::simt::ptx_machine
