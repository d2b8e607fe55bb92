// Training or serving steps: the ProfilerStep#N ranges.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "warplens/trace/profile/profile.h"

namespace warplens::analysis {

struct Step {
  uint32_t rank;             // row of ranks
  int64_t number;            // N of ProfilerStep#N
  uint32_t range;            // row of operators
  int64_t start_ns, end_ns;  // on the host
};

/// All steps, by rank, then start.
std::vector<Step> find_steps(const Profile& profile);

/// N of "ProfilerStep#N"; no value for other names.
std::optional<int64_t> step_number(std::string_view name);

}  // namespace warplens::analysis
