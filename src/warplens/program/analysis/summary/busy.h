// When devices were busy.
#pragma once
#include <vector>

#include "warplens/program/analysis/intervals.h"
#include "warplens/trace/profile/profile.h"

namespace warplens::analysis {

/// For each row of devices the union of its kernels, copies and sets. Linear where each stream's events are in order.
std::vector<TimeSet> busy_times(const Profile& profile);

/// The busy share of each of `slots` equal parts of [start, end).
std::vector<double> busy_shares(const TimeSet& busy, int64_t start_ns, int64_t end_ns, size_t slots);

}  // namespace warplens::analysis
