// Which finding comes first.
#pragma once
#include <vector>

#include "warplens/program/findings/finding.h"

namespace warplens::findings {

/// What mending each of `findings` is worth, as a share of the step: its saving. Idle time and communication of which
/// no other finding knows a cause count wholly, as a bound.
std::vector<double> expected_worth(const std::vector<Finding>& findings);

/// The most valuable first, then the most serious. launch-bound follows what has to be mended before a step can be
/// captured.
void rank(std::vector<Finding>& findings);

}  // namespace warplens::findings
