// An allocation that failed: the free memory then, and whether a limit on splitting would have left room.
#pragma once
#include <optional>
#include <vector>

#include "warplens/memory/snapshot.h"

namespace warplens::memory {

/// A segment, with the blocks of it that were in use, by address.
struct HeldSegment {
  Segment segment;  // without its own list of blocks
  std::vector<Block> in_use;
};

/// The allocator after event number `after`: the state at the end, undone event by event.
std::vector<HeldSegment> state_after(const Snapshot& snapshot, int64_t device, const std::vector<Event>& events,
                                     size_t after);

/// A setting of max_split_size_mb with which the request fits.
struct SmallerSplit {
  int64_t most_mib = 0;        // max_split_size_mb
  int64_t segments = 0;        // that would be free as a whole, and go back to the driver
  int64_t segments_bytes = 0;  // of them
  int64_t blocks = 0;          // cut from them
  int64_t blocks_bytes = 0;
  uint32_t stack = kNoStack;  // of the largest of these blocks
};

/// With max_split_size_mb:M, requests below M take no part of larger segments: these stay whole, and the allocator
/// returns whole ones before it gives up. Finds the smallest M with room for `request` where the small blocks, placed
/// elsewhere, still fit. Nothing if no M helps, and with expandable segments, which are not split.
std::optional<SmallerSplit> smaller_split(const std::vector<HeldSegment>& held, int64_t request,
                                          int64_t device_free_bytes);

}  // namespace warplens::memory
