// Loops in which a warp reads one address again and again until another thread has written it.
#pragma once
#include "warplens/run/sass/machine.h"
#include "warplens/run/sass/program.h"

namespace warplens::report {

/// Whether such a loop ran: it loads past L1 (volatile, acquire, relaxed) from an address that it does not change, and
/// does nothing else to memory. How often it turns is a matter of time, so that no count of it is the hardware's.
bool ran_waiting_loop(const simt::sass_machine::Program& program, const simt::sass_machine::MachineCounts& counts);

}  // namespace warplens::report
