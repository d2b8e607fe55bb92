// Counts of requests to the shared memory of other blocks of a cluster.
#pragma once
#include <array>
#include <cstdint>

namespace warplens::simt::sass_machine {

/// Requests of a warp to the shared memory of other blocks, and the distinct sectors of each. For atomics, the largest
/// number of lanes on one address, over sectors.
struct RemoteCounts {
  enum Kind : uint8_t { kLoad, kStore, kAtomic };
  std::array<uint64_t, 3> requests{}, sectors{};
  uint64_t whole_sectors = 0;    // of requests that use every byte of theirs
  uint64_t crowded_sectors = 0;  // of all blocks, if each were asked for as many as the busiest: see RemoteTurns
};

}  // namespace warplens::simt::sass_machine
