// mma.m8n8k4 of f16, Volta's: four products of 8 x 4 by 4 x 8. Each has the lanes 4q to 4q + 3 and 4q + 16 to 4q + 19.
#pragma once
#include "warplens/run/ptx/program.h"

namespace warplens::simt::ptx_machine {

/// Op: a, b, c, d = first of each operand's slots; flags = MatrixInfo: by_columns refers to A, transposed means that B
/// is stored by rows.
void run_quads(Warp& warp, const Op& op);

}  // namespace warplens::simt::ptx_machine
