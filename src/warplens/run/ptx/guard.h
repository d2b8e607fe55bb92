// Operations that wrap others, and those that only fail.
#pragma once
#include "warplens/run/ptx/warp.h"

namespace warplens::simt::ptx_machine {

/// Runs Op::body for the lanes whose guard holds.
void run_guarded(Warp& warp, const Op& op);
/// Faults with Program::texts[Op::text].
void run_unsupported(Warp& warp, const Op& op);
/// trap, brkpt.
void run_trap(Warp& warp, const Op& op);

}  // namespace warplens::simt::ptx_machine
