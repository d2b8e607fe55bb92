// Nested intervals on host threads: which operator ran inside which.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "warplens/trace/profile/profile.h"

namespace warplens::analysis {

/// Trees of the rows of a table, one forest for all its threads. A parent contains its child wholly; an interval that
/// only overlaps another has no parent there (the rule of torch's event tree).
struct Forest {
  std::vector<uint32_t> order;         // rows in pre-order: by thread, then start, then the longest first
  std::vector<uint32_t> position;      // of each row in `order`
  std::vector<uint32_t> subtree_end;   // of each row: the position after its last descendant
  std::vector<uint32_t> parent;        // of each row: a row, or kNone
  std::vector<uint32_t> depth;         // of each row: 0 for roots
  std::vector<uint32_t> thread_begin;  // of each thread: its first position; one more element ends the last thread

  size_t size() const { return order.size(); }
};

/// All spans have the same length; `threads` holds numbers below `thread_count`. Negative durations count as 0.
Forest build_forest(std::span<const int64_t> starts_ns, std::span<const int64_t> durations_ns,
                    std::span<const uint32_t> threads, size_t thread_count);

Forest operator_forest(const Profile& profile);  // rows of operators
Forest frame_forest(const Profile& profile);     // rows of python_frames

/// The innermost row of `forest` (built from these intervals) on `thread` that is open at `time_ns`, or kNone.
uint32_t innermost_at(const Forest& forest, std::span<const int64_t> starts_ns, std::span<const int64_t> durations_ns,
                      uint32_t thread, int64_t time_ns);

}  // namespace warplens::analysis
