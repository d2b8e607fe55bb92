// The owners of a device's memory at its peak, from the allocator's events (profile_memory=True).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "warplens/program/analysis/forest.h"
#include "warplens/trace/profile/profile.h"

namespace warplens::analysis {

/// Blocks that one operator allocated at one place and that were still allocated at the peak.
struct MemoryOwner {
  std::string name;    // the allocating operator: not aten::empty, but its caller
  std::string module;  // "Model_0/Linear_3" of it or, for backward work, of the forward operator; "" without stacks
  std::string line;    // "train.py(12): step" of the same; "" without stacks
  int64_t bytes = 0, blocks = 0;
  /// "aten::mm in Model_0/Linear_3 at train.py(12): step"
  std::string place() const;
};

struct MemoryPeak {
  int32_t device_ordinal = 0;
  int64_t time_ns = 0;
  int64_t allocated_bytes = 0, reserved_bytes = 0;
  int64_t before_bytes = 0;  // allocated before the trace began, by whom it does not say: weights, optimizer states
  std::vector<MemoryOwner> owners;  // largest first; they and before_bytes add up to allocated_bytes
};

/// The most bytes that were allocated on one device at a time; 0 if memory was not profiled.
int64_t most_allocated_bytes(const Profile& profile);

/// The peak of the device of `rank` with the highest one; no value if memory was not profiled. `frames` may be empty.
std::optional<MemoryPeak> memory_peak(const Profile& profile, uint32_t rank, const Forest& operators,
                                      const Forest& frames);

}  // namespace warplens::analysis
