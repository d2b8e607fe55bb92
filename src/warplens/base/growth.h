// By how much data of others may grow when they are unpacked.
#pragma once
#include <cstdint>

namespace warplens {

/// A small file can expand to any size. Traces shrink to a tenth or a fiftieth; a file that grows by more is none.
inline constexpr uint64_t kMostGrowth = 200, kFreeBytes = uint64_t{64} << 20;

inline uint64_t most_unpacked_bytes(uint64_t packed_bytes) { return kFreeBytes + kMostGrowth * packed_bytes; }

}  // namespace warplens
