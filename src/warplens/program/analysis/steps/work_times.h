// When a rank's host handed work on: by that a step is recognised.
#pragma once
#include <cstdint>
#include <vector>

#include "warplens/trace/profile/profile.h"

namespace warplens::analysis {

/// Moments in order.
class WorkTimes {
 public:
  /// Launches, copies and launches of graphs; without any, the rank's operators.
  WorkTimes(const Profile& profile, uint32_t rank);

  /// How many are in [start, end).
  size_t count(int64_t start_ns, int64_t end_ns) const;
  bool empty() const { return times_.empty(); }

 private:
  std::vector<int64_t> times_;
};

}  // namespace warplens::analysis
