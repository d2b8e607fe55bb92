// Which finding comes first.
#pragma once
#include <string>
#include <vector>

#include "warplens/program/findings/finding.h"

namespace warplens::findings {

/// The most valuable first, then the most serious. A finding is worth its saving as a share of the step. One of
/// `before_capture` is also worth the saving of launch-bound, which it makes possible. Idle time and communication
/// without another finding as cause count wholly, as a bound.
void rank(std::vector<Finding>& findings, const std::vector<std::string>& before_capture = {});

}  // namespace warplens::findings
