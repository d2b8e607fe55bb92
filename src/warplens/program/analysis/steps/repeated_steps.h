// Steps of programs that mark none and have no modules: the same launches come again and again.
#pragma once
#include <vector>

#include "warplens/program/analysis/steps/steps.h"

namespace warplens::analysis {

/// The longest stretch of `work` that repeats what came `period` places before.
struct Repetition {
  size_t begin = 0, end = 0;  // places in `work`, whole periods
  size_t period = 0;          // 0: nothing repeats
};
Repetition find_repetition(const std::vector<uint32_t>& work);

/// Each repetition of a rank's launches and copies is a step. Short ones are a step together, so that what a step costs
/// once, such as launching a graph, stays small beside it.
std::vector<Step> repeated_steps(const Profile& profile, uint32_t rank);

}  // namespace warplens::analysis
