// Bounds of accesses whose addresses a kernel computed.
#pragma once
#include <cstdint>

namespace warplens::simt {

/// True if `size` bytes at `offset` are in the first `bytes`. The offset may be near 2^64.
inline __attribute__((always_inline)) bool fits(uint64_t offset, uint64_t size, uint64_t bytes) {
  return offset < bytes && size <= bytes - offset;
}

}  // namespace warplens::simt
