// Reductions that asynchronous copies make in memory.
#pragma once
#include <cstddef>
#include <cstdint>

#include "warplens/simt/atomics/operation.h"

namespace warplens::simt {

/// Copies `size` bytes (kExchange), or reduces elements of `type`, of up to 8 bytes each, into those at `to`, each at
/// once.
void combine_bytes(uint8_t* to, const uint8_t* from, size_t size, AtomicOp what, ptx::Type type);

}  // namespace warplens::simt
