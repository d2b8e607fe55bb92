// Which finding comes first.
#pragma once
#include <vector>

#include "warplens/program/findings/finding.h"

namespace warplens::findings {

/// The value of each fix, as a share of the step: its saving, and the savings that it makes possible. Idle time and
/// communication without another finding as cause count wholly, as a bound.
std::vector<double> expected_worth(const std::vector<Finding>& findings);

/// The most valuable first, then the most serious.
void rank(std::vector<Finding>& findings);

}  // namespace warplens::findings
