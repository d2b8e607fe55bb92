// PyTorch's memory snapshots (torch.cuda.memory._dump_snapshot): the allocator's segments when it was taken, and its
// events before, with the allocating stacks.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "warplens/base/status.h"

namespace warplens::memory {

inline constexpr uint32_t kNoStack = UINT32_MAX;

struct Frame {
  std::string_view file, function;
  int64_t line = 0;
  bool operator==(const Frame&) const = default;
};

struct Block {
  int64_t address = 0, bytes = 0, requested_bytes = 0;
  bool allocated = false;
  uint32_t stack = kNoStack;  // of the allocation; snapshots without history have none
};

struct Segment {
  int64_t device = 0, address = 0, bytes = 0, stream = 0;
  bool expandable = false, small_pool = false;
  std::vector<Block> blocks;
};

enum class Action : uint8_t { kAlloc, kFree, kSegmentAlloc, kSegmentFree, kOutOfMemory, kOther };

struct Event {
  Action action = Action::kOther;
  int64_t address = 0, bytes = 0;
  int64_t time_us = 0;  // since 1970; 0 where the version of torch does not record it
  int64_t stream = 0;
  int64_t device_free_bytes = 0;  // of kOutOfMemory
  uint32_t stack = kNoStack;
};

/// A begin or end that torch itself ("Optimizer.step#AdamW.step") or torch.profiler ("ProfilerStep#3") marks.
struct Annotation {
  std::string_view name;
  bool begins = false;
  int64_t device = 0, time_us = 0;
};

struct Snapshot {
  std::vector<Segment> segments;
  std::vector<Annotation> annotations;
  std::vector<std::vector<Event>> events;           // of each device, in order
  std::vector<std::vector<Frame>> stacks;           // the innermost frame first
  int64_t unknown_actions = 0, broken_entries = 0;  // in the file, but left out
  std::string bytes;                                // of the file, which frames refer to
};

/// Whether a file that begins so can be one: a pickle.
bool may_be_snapshot(std::string_view head);

/// Reads a pickled snapshot; nothing in it is run. Errors: not a pickle of plain data; not a memory snapshot.
Result<Snapshot> read_snapshot(std::string bytes);

}  // namespace warplens::memory
