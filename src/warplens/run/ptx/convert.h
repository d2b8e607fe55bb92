// Conversions without handlers of their own (lanes/convert.cpp has these), lane by lane.
#pragma once
#include "warplens/run/ptx/program.h"

namespace warplens::simt::ptx_machine {

/// Runs convert for each lane. Op: a (and b, the low operand); d; rounding, flags, types;
/// size = bytes of d's lanes, vector = bytes of a's.
void run_convert(Warp& warp, const Op& op);

}  // namespace warplens::simt::ptx_machine
