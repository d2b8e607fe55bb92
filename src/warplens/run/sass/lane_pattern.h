// The distances between the lanes of a whole warp in an instruction's last request that was not a simple one.
// Translated code moves lanes with the same distances by permutations, and counts those that go to shared memory.
#pragma once
#include <cstdint>

#include "warplens/run/sass/op.h"

namespace warplens::simt::sass_machine {

struct alignas(64) LanePattern {
  uint32_t distance[kLanes] = {1};  // bytes from lane 0; its own differs from 0 only if unknown
  // Each half of the lanes is in a window of one or two vectors of memory.
  uint32_t words[kLanes] = {};              // of the window, the word that a lane's bytes begin with
  int64_t begin = 0, size_bytes = 0;        // of both windows, from lane 0's address on
  int64_t starts[2] = {}, seconds[2] = {};  // where a half's window begins in them, and its second vector in that
  int64_t until_learned = 1, patience = 1;  // requests before the pattern is taken anew: ever more
  uint64_t times = 0;                       // requests to shared memory since, and the cost of each at any address
  uint64_t passes = 0, ideal_passes = 0, extra_cycles = 0;
  bool loads = false, stores = false;  // windows are known; the lanes of each fill theirs in order
};

/// Fills in the windows by `distance`, for accesses of `size` bytes a lane.
void find_windows(uint32_t size, LanePattern* pattern);
/// The pattern of the request that comes next: called by translated code.
void learn_pattern(Warp& warp, const Op& op);

}  // namespace warplens::simt::sass_machine
