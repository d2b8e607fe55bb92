// How the collectives of one rank are on those of another: which is which, and how far apart the two clocks are.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "warplens/trace/profile/job/meetings.h"

namespace warplens::job {

struct Fit {
  bool sure = false;      // so many ends agree that chance does not explain it
  int64_t shift_ns = 0;   // to be added to the second rank's times
  int64_t spread_ns = 0;  // median deviation of the ends' differences around it
  size_t possible = 0;    // collectives of the rank with fewer of them, in the time that both recorded
  std::vector<std::pair<uint32_t, uint32_t>> pairs;  // positions in either list
};

/// Collectives end on all ranks at once, so the shift with most matching ends is taken. Of several that match about as
/// well, the steadiest is taken, then, if both sides use wall clocks (`common_clock`), the smallest. Clocks of one
/// job's machines differ by seconds at most: a greater shift must match nearly all ends, to microseconds.
Fit fit_meetings(const Meetings& a, const Meetings& b, bool common_clock);

/// Pairs of collectives that end within `tolerance_ns` of one another once `b` is shifted, the closest first. Sequence
/// numbers identify pairs at any distance.
std::vector<std::pair<uint32_t, uint32_t>> pair_meetings(const Meetings& a, const Meetings& b, int64_t shift_ns,
                                                         int64_t tolerance_ns);

/// Ends within this of one another may belong together, given the fit's spread.
int64_t tolerance_ns(int64_t spread_ns);

inline constexpr int64_t kClocksOfOneJobNs = 60'000'000'000;  // no two machines' clocks are further apart

}  // namespace warplens::job
