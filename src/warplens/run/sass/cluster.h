// Blocks that run together, see each other's shared memory and wait for each other: a cluster, of one block mostly.
#pragma once
#include <map>

#include "warplens/run/sass/counting/remote_turns.h"
#include "warplens/run/sass/run.h"
#include "warplens/simt/requests/request.h"

namespace warplens::simt::sass_machine {

/// Copies to shared memory that a warp's threads started and that are under way (LDGSTS). Holds the arrival of the last
/// one, and the same at the end of each group with no wait so far.
struct OpenCopies {
  Cycles latest{};
  std::vector<Cycles> groups;
};

struct Cluster {
  Cluster() = default;
  ~Cluster();
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;
  std::vector<Block> blocks;
  uint64_t number = 0, turns = 0;      // which of the grid's it is; how many turns its warps have had
  uint64_t turns_since_look = 0;       // at the time
  bool gives_way = false;              // a warp's turn ends where its lanes yield: others may hold what it waits for
  uint32_t phase = 0;                  // how often the cluster's barrier has opened
  Cycles opened{};                     // when it last did
  uint64_t barrier_cycles = 0;         // from the last warp's arrival to the opening
  std::map<uint32_t, Cycles> signals;  // when mbarriers were last signalled, by address
  std::map<const Warp*, OpenCopies> copies;
  RemoteTurns remote;
};

/// Which block of the cluster a 32-bit address of shared memory names, and where in it.
inline constexpr uint32_t kRankShift = 24, kInBlock = (1u << kRankShift) - 1;
inline uint32_t rank_of(uint64_t address) { return static_cast<uint32_t>(address >> kRankShift) & 0xff; }

/// Bytes of any block's shared memory, or nullptr after stopping the block because the address is invalid.
uint8_t* cluster_bytes(Warp& warp, uint64_t address, uint32_t size);

/// Lanes of `on` whose generic address is in another block's shared memory; in `own` those in the block's.
uint32_t remote_lanes(const Warp& warp, const Addresses& at, uint32_t on, uint32_t* own);

/// A load or store of `op`'s bytes in other blocks' shared memory.
void access_remote(Warp& warp, const Op& op, const Addresses& at, uint32_t on, bool store);
/// Counts a request of the lanes `on` to other blocks' shared memory, of `size` bytes a lane. `own`: lanes of the own
/// block that come with them and take the same way. Lookups over four blocks took as long as if all four were others.
void count_remote(Warp& warp, const Addresses& at, uint32_t on, uint32_t own, uint32_t size, RemoteCounts::Kind kind);
/// Counts the requests since the barrier opened.
void close_remote_turns(Cluster& cluster);

/// Opens the cluster's barrier when all threads that have not ended are there. True when it did.
bool open_cluster_barrier(Cluster& cluster);

inline uint64_t blocks_of(const std::array<uint32_t, 3>& size) { return uint64_t{size[0]} * size[1] * size[2]; }

}  // namespace warplens::simt::sass_machine
