// cp.async: copies of 4, 8 or 16 bytes a lane from global to shared memory.
#pragma once
#include "warplens/run/ptx/program.h"

namespace warplens::simt::ptx_machine {

/// Op: a = global address, b = shared offset, size = bytes; copied, with c = the bytes to read or the predicate. Counts
/// as a global load.
void run_cp_async(Warp& warp, const Op& op);

}  // namespace warplens::simt::ptx_machine
