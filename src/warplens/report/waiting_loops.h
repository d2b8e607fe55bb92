// Loops in which a warp reads one address again and again until another thread has written it.
#pragma once
#include "warplens/run/sass/machine.h"
#include "warplens/run/sass/program.h"

namespace warplens::report {

/// True if such a loop ran. It loads past L1 (volatile, acquire, relaxed) from an address that it does not change, and
/// has no other effect on memory. The number of its turns depends on timing, so none of its counts is the hardware's.
bool ran_waiting_loop(const simt::sass_machine::Program& program, const simt::sass_machine::MachineCounts& counts);

}  // namespace warplens::report
