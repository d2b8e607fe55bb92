// alloca, stacksave, stackrestore: memory that a call of a function takes beyond its variables, lane by lane.
#pragma once
#include "warplens/run/ptx/program.h"

namespace warplens::simt::ptx_machine {

/// Op: a = bytes, d = local address; size = bytes of both, value = alignment.
void run_alloca(Warp& warp, const Op& op);
/// Op: d = end of the lane's stack; size = its bytes.
void run_stack_save(Warp& warp, const Op& op);
/// Op: a = an end that run_stack_save gave; size = its bytes.
void run_stack_restore(Warp& warp, const Op& op);

}  // namespace warplens::simt::ptx_machine
