// Which finding comes first.
#pragma once
#include <vector>

#include "warplens/program/findings/finding.h"

namespace warplens::findings {

/// What mending each of `findings` is worth, as a share of the step: its saving; of idle time and of communication half
/// of what no other finding is about, if that is more. Nobody knows what of it can be mended: half is the guess that
/// errs least.
std::vector<double> expected_worth(const std::vector<Finding>& findings);

/// The most valuable first, then the most serious.
void rank(std::vector<Finding>& findings);

}  // namespace warplens::findings
