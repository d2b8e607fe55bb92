// Helpers of the decoders of matrix instructions.
#pragma once
#include "warplens/run/ptx/decode/decode.h"

namespace warplens::simt::ptx_machine {

/// Sets Op::flags to `info`'s place in Program::matrices.
Status set_matrix_info(Decoding& d, Op& op, const MatrixInfo& info);
/// Emits an operation in which all lanes of the warp take part.
void emit_collective(Decoding& d, Op op);
/// mma.m8n8k4 of f16.
Status decode_quads(Decoding& d);

}  // namespace warplens::simt::ptx_machine
