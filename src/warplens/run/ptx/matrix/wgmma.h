// wgmma.mma_async: each warp of a warpgroup multiplies its 16 rows; operands in shared memory are read at once.
#pragma once
#include "warplens/run/ptx/program.h"

namespace warplens::simt::ptx_machine {

/// Op: d = first of D's slots (read and written); a = slot of A's descriptor or first of its registers' slots; b = slot
/// of B's descriptor; c = predicate of scale-d; e = slot of a sparse A's metadata, matrix, mode = WgmmaMode.
void run_wgmma(Warp& warp, const Op& op);

enum WgmmaMode : uint8_t { kAInRegisters = 1, kNegate = 2, kTransposeA = 4, kTransposeB = 8 };

}  // namespace warplens::simt::ptx_machine
