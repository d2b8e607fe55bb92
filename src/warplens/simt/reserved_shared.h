// The system's part of a block's shared memory, which cooperative groups of several warps use.
#pragma once
#include <cstdint>

namespace warplens::simt {

/// Bytes that the system uses, of those that it reserves: %reserved_smem_offset_end of an H200.
constexpr uint32_t kReservedSharedUsed = 0x120;

}  // namespace warplens::simt
