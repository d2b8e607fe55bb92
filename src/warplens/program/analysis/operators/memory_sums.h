// Allocated minus freed bytes within any interval of time, by prefix sums.
#pragma once
#include <cstdint>
#include <vector>

#include "warplens/trace/profile/profile.h"

namespace warplens::analysis {

struct MemoryChange {
  int64_t cpu_bytes = 0, device_bytes = 0;
};

class MemorySums {
 public:
  MemorySums(const Profile& profile, uint32_t rank);
  /// The sum over all records with start_ns <= time <= end_ns, which are marked as covered.
  MemoryChange within(int64_t start_ns, int64_t end_ns);
  /// Rows of allocations that no earlier interval has covered.
  std::vector<uint32_t> uncovered() const;

 private:
  std::vector<uint32_t> rows_;        // by time
  std::vector<int64_t> times_ns_;     // of rows_
  std::vector<MemoryChange> before_;  // sums of all records before each, and after the last
  std::vector<int32_t> cover_;        // +1 where an interval starts to cover, -1 where it stops
};

/// The change by one record; device types as torch numbers them.
MemoryChange memory_change(const Profile& profile, uint32_t allocation);

}  // namespace warplens::analysis
