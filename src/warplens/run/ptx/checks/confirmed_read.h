// Loads whose value a compare-and-swap confirms: `old = *p; do { seen = old; old = atomicCAS(p, seen, f(seen)); } while
// (old != seen)`. A value that another thread's update has overtaken changes nothing, so nobody minds such a race.
#pragma once
#include "warplens/run/ptx/program.h"

namespace warplens::simt::ptx_machine {

/// True if the load of `row` gives the expected value of a compare-and-swap of the same address in its function.
bool is_confirmed(const Program& program, uint32_t row);

}  // namespace warplens::simt::ptx_machine
