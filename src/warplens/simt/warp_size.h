// How many lanes a warp has.
#pragma once
#include <cstdint>

namespace warplens::simt {

inline constexpr uint32_t kLanes = 32, kFull = 0xffffffff;

}  // namespace warplens::simt
