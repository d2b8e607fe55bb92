// What one warp's memory instruction costs: sectors of global memory, wavefronts of shared memory.
#pragma once
#include <cstdint>

#include "warplens/run/ptx/memory/memory.h"
#include "warplens/simt/counts.h"

namespace warplens::emulator {

/// Distinct 32-byte segments that the lanes of `mask` touch, each `size` bytes at its address.
uint32_t count_sectors(const Address* addresses, uint32_t mask, uint32_t size);

struct Wavefronts {
  uint32_t actual = 0, ideal = 0;
};
/// Passes over the 32 banks of 4 bytes. Up to 4 bytes a lane, the warp is one group; 8-byte accesses are two
/// half-warps, of loads joined when address(lane) = address(lane ^ 1) wherever both are active, or (lane ^ 2); 16-byte
/// accesses are quarters, of loads the two of a half joined by the same rule. A group takes as many passes as distinct
/// words that its busiest bank gives; ideal: one pass a group. Measured on an H200.
Wavefronts count_wavefronts(const Address* offsets, uint32_t mask, uint32_t size, bool store = false);

/// Adds a request of the lanes of `mask` to global (or local) memory.
void count_global(kernel::InstructionCounts& row, const Address* addresses, uint32_t mask, uint32_t size);
/// The same for shared memory; addresses are offsets in it.
void count_shared(kernel::InstructionCounts& row, const Address* offsets, uint32_t mask, uint32_t size,
                  bool store = false);

/// The same for local memory, where word w of lane l lies at (w * 32 + l) * 4; addresses are a thread's own.
void count_local(kernel::InstructionCounts& row, const Address* offsets, uint32_t mask, uint32_t size);

/// Adds a request of `bytes` bytes, over all its lanes, that touches so many sectors. Returns the fewest that would do.
inline uint64_t count_request(kernel::InstructionCounts& row, uint64_t bytes, uint64_t sectors) {
  const uint64_t least = (bytes + 31) / 32, ideal = sectors < least ? sectors : least;
  ++row.requests;
  row.bytes += bytes;
  row.sectors += sectors;
  row.ideal_sectors += ideal;
  return ideal;
}

/// count_global for lanes that all lie in one run without holes: `bytes` bytes at `begin`.
inline void count_run(kernel::InstructionCounts& row, Address begin, uint64_t bytes) {
  ++row.requests;
  row.bytes += bytes;
  row.sectors += ((begin + bytes - 1) >> 5) - (begin >> 5) + 1;
  row.ideal_sectors += (bytes + 31) / 32;
}

}  // namespace warplens::emulator
