// Reductions that asynchronous copies make in memory.
#pragma once
#include <cstddef>
#include <cstdint>

#include "warplens/isa/ptx/types.h"

namespace warplens::simt {

enum class ReduceOp : uint8_t { kCopy, kAdd, kMin, kMax, kInc, kDec, kAnd, kOr, kXor };
/// Copies `size` bytes, or reduces elements of `type`, of up to 8 bytes each, into those at `to`, each at once.
void combine_bytes(uint8_t* to, const uint8_t* from, size_t size, ReduceOp what, ptx::Type type);

}  // namespace warplens::simt
