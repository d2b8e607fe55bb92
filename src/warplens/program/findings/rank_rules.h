// Findings that only several ranks together show: straggler and uneven-collective.
#pragma once
#include <vector>

#include "warplens/program/findings/finding.h"
#include "warplens/trace/profile/profile.h"

namespace warplens::findings {

/// From matched collectives. `step_ns` is a step of the slowest rank without the profiler. Empty for a single rank.
std::vector<Finding> rank_findings(const Profile& profile, int64_t step_ns);

}  // namespace warplens::findings
