// Which of the host's operators, ranges and calls of one program answers to which of another.
#pragma once
#include <optional>
#include <utility>
#include <vector>

#include "warplens/program/analysis/diff/step_cost.h"

namespace warplens::analysis::diff {

using HostRow = std::pair<std::optional<HostCost>, std::optional<HostCost>>;  // base, new

/// Rows pair by name, calls of HIP with those of CUDA. A range that only one side has pairs with a renamed one of the
/// other side. The renamed one is at the same place, as often, with mostly the same calls. A remaining name was added
/// or removed. If the enclosing range lost or gained that time, the program did not change, and the time counts
/// there.
std::vector<HostRow> match_host(const ProgramCost& base, const ProgramCost& fresh);

}  // namespace warplens::analysis::diff
