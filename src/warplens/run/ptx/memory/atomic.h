// Atomic operations on memory: atom and red.
#pragma once
#include "warplens/run/ptx/program.h"

namespace warplens::simt::ptx_machine {

/// Runs atom or red, lane after lane. Op: a + value = address, b = operand, c = second operand of cas, d = old value
/// (kNoSlot for red). With vector > 1, b and d are entries in Program::slots. size = bytes of an element, atomic, type,
/// range. applied_late: a float reduction, to be logged.
void run_atomic(Warp& warp, const Op& op);

}  // namespace warplens::simt::ptx_machine
