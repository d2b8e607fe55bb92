// Instruction limit, time limit, cancellation, progress.
#pragma once
#include "warplens/emulator/warp.h"

namespace warplens::emulator {

/// False when the launch has to stop, the fault raised.
bool within_limits(Warp& warp);

}  // namespace warplens::emulator
