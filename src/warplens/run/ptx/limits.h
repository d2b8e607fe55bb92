// Instruction limit, time limit, cancellation, progress.
#pragma once
#include "warplens/run/ptx/warp.h"

namespace warplens::simt::ptx_machine {

inline constexpr uint32_t kLocalLimit = 512 << 10;  // bytes of local memory a thread: the limit of every GPU

/// False when the launch has to stop, the fault raised.
bool within_limits(Warp& warp);

}  // namespace warplens::simt::ptx_machine
