// The analysis of a snapshot: the owners of memory at the peak, its growth, unused memory, and problems.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "warplens/memory/snapshot.h"
#include "warplens/output/finding.h"

namespace warplens::memory {

/// Blocks alive at the peak that were allocated at one place.
struct Owner {
  std::string place;          // "train.py:12 step"; where no stack was recorded, why
  std::string_view category;  // weights, activations, gradients, optimizer, other, not known
  int64_t bytes = 0, blocks = 0;
};

/// A step of the program, or one of the equal parts of the recorded events.
struct Slice {
  int64_t peak_bytes = 0, end_bytes = 0;
  int64_t allocations = 0, segments_made = 0, segments_freed = 0;
};

struct DeviceMemory {
  int64_t device = 0;
  int64_t reserved_bytes = 0, allocated_bytes = 0;  // when the snapshot was taken
  int64_t requested_bytes = 0;                      // of the allocated bytes: the rest is rounding
  int64_t largest_free_bytes = 0;                   // of the cache, in one piece
  int64_t free_pieces = 0;
  int64_t stranded_bytes = 0;  // free, in segments that something else still holds
  int64_t peak_bytes = 0;
  bool peak_from_events = false;  // else there is no history, and the peak is that of the snapshot
  std::vector<Owner> owners;      // at the peak, the largest first
  std::vector<Slice> slices;      // equal parts
  std::vector<Slice> steps;       // empty if nothing marks the program's steps
  std::string steps_end_at;       // the mark that ends each step
  std::vector<std::pair<int64_t, int64_t>>
      over_time;  // time_ns since the first event, bytes allocated; only with times
  int64_t events = 0;
};

struct MemoryReport {
  std::vector<DeviceMemory> devices;
  std::vector<Finding> findings;
};

/// The events of a device with the bytes of their blocks and, for frees, the allocating stack. Events of torch hold the
/// requested bytes and the freeing stack. A block that still exists has its size; others get the allocator's least
/// rounding, to multiples of 512. Blocks from before the recording have no stack.
std::vector<Event> events_of_blocks(const Snapshot& snapshot, int64_t device);

MemoryReport analyse(const Snapshot& snapshot);

bool is_python(const Frame& frame);
/// The innermost frame of the user's own code, else the innermost of Python; "" for no stack.
std::string place_of(const std::vector<Frame>& stack);
/// By the functions in the stack: an optimizer, the backward pass, a forward call, a module that is built or moved.
std::string_view category_of(const std::vector<Frame>& stack);

}  // namespace warplens::memory
