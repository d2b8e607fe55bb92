// Which kernel of one program answers to which of another.
#pragma once
#include <cstdint>
#include <vector>

#include "warplens/program/analysis/diff/step_cost.h"

namespace warplens::analysis {

/// Rows of ProgramCost::kernels; kNone on one side: added or removed.
struct Pair {
  uint32_t base, fresh;
  bool operator==(const Pair&) const = default;
};

/// Each row of either side stands in exactly one pair. Rows pair by operator, shapes and kernel name; what is left by
/// operator and shapes in order of appearance (a renamed kernel); then by operator alone (changed shapes); then by
/// kernel name alone (launched from elsewhere).
std::vector<Pair> match_kernels(const ProgramCost& base, const ProgramCost& fresh);

}  // namespace warplens::analysis
