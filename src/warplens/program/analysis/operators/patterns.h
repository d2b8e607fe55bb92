// Sequences of kernels that a stream runs again and again: layers, optimizer loops, chains worth fusing.
#pragma once
#include <cstdint>
#include <vector>

#include "warplens/program/analysis/causes.h"
#include "warplens/trace/profile/profile.h"

namespace warplens::analysis {

/// One sequence. Occurrences do not overlap; all of them have equal names in equal order.
struct KernelPattern {
  std::vector<uint32_t> first;   // rows of device_events: the first occurrence, in order
  std::vector<uint32_t> starts;  // the first event of each occurrence
  int64_t device_ns = 0;         // of all occurrences
  int64_t span_ns = 0;           // from each one's first start to its last end, all together
  int64_t gap_ns = 0;            // of the spans: between one event and the next
  uint32_t around = kNone;       // row of operators: the innermost around all launches of the first occurrence
  size_t count() const { return starts.size(); }
};

/// Sequences of kernels, copies and sets on one stream that occur kLeastRepeats times or more and cannot be made longer
/// without losing an occurrence. The one that repeats most device time comes first. Rotations and variants of one loop
/// count once; a loop within a loop is a row of its own. Sequences are at most a million events long.
std::vector<KernelPattern> kernel_patterns(const Profile& profile, const Causes& causes, size_t least_length,
                                           size_t limit);

inline constexpr size_t kLeastRepeats = 3;

}  // namespace warplens::analysis
