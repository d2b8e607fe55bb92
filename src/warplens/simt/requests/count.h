// The cost of one warp's memory instruction: sectors of global memory, wavefronts of shared memory.
#pragma once
#include <cstdint>

#include "warplens/simt/counts.h"
#include "warplens/simt/memory/memory.h"
#include "warplens/simt/requests/banks.h"

namespace warplens::simt {

/// Distinct 32-byte segments that the lanes of `mask` touch, each `size` bytes at its address.
uint32_t count_sectors(const Address* addresses, uint32_t mask, uint32_t size);

/// Adds a request of the lanes of `mask` to global (or local) memory.
void count_global(InstructionCounts& row, const Address* addresses, uint32_t mask, uint32_t size);
/// The same for shared memory; addresses are offsets in it.
void count_shared(InstructionCounts& row, const Address* offsets, uint32_t mask, uint32_t size,
                  Joins joins = Joins::kByActive);

/// The same for local memory, where word w of lane l is at (w * 32 + l) * 4; addresses are a thread's own.
void count_local(InstructionCounts& row, const Address* offsets, uint32_t mask, uint32_t size);

/// Adds a request of `bytes` bytes, over all its lanes, that touches so many sectors. Returns the fewest that would do.
inline __attribute__((always_inline)) uint64_t count_request(InstructionCounts& row, uint64_t bytes, uint64_t sectors) {
  const uint64_t least = (bytes + 31) / 32, ideal = sectors < least ? sectors : least;
  ++row.requests;
  row.bytes += bytes;
  row.sectors += sectors;
  row.ideal_sectors += ideal;
  return ideal;
}

/// Adds requests to shared memory: of `bytes` bytes over all lanes of all of them, each with so many passes.
inline __attribute__((always_inline)) void count_passes(InstructionCounts& row, Wavefronts passes, uint64_t bytes,
                                                        uint64_t requests = 1) {
  row.requests += requests;
  row.shared_requests += requests;
  row.bytes += bytes;
  row.wavefronts += requests * passes.actual;
  row.ideal_wavefronts += requests * passes.ideal;
}

/// count_global for lanes that all are in one run without holes: `bytes` bytes at `begin`.
inline __attribute__((always_inline)) void count_run(InstructionCounts& row, Address begin, uint64_t bytes) {
  ++row.requests;
  row.bytes += bytes;
  row.sectors += ((begin + bytes - 1) >> 5) - (begin >> 5) + 1;
  row.ideal_sectors += (bytes + 31) / 32;
}

}  // namespace warplens::simt
