// Reading special registers, and other values that the machine and not the program holds.
#pragma once
#include "warplens/run/ptx/program.h"
#include "warplens/run/ptx/warp.h"

namespace warplens::simt::ptx_machine {

/// 1, 32 or 64.
int special_register_bits(const ptx::Operand& operand);
/// The operation that reads it into Op::d; its `run` is nullptr when the register is not known here.
Op special_register_op(const ptx::Operand& operand);

/// d = Op::value for every lane (a predicate).
void read_constant_predicate(Warp& warp, const Op& op);
/// d = where the running function's variables begin in local memory.
void read_local_base(Warp& warp, const Op& op);

}  // namespace warplens::simt::ptx_machine
