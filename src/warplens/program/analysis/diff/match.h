// Which kernel of one program answers to which of another.
#pragma once
#include <cstdint>
#include <vector>

#include "warplens/program/analysis/diff/step_cost.h"

namespace warplens::analysis::diff {

/// Rows of ProgramCost::kernels; kNone on one side: added or removed.
struct Pair {
  uint32_t base, fresh;
  bool operator==(const Pair&) const = default;
};

/// Each row of either side stands in exactly one pair. Rows pair by operator, shapes and kernel name; then other
/// kernels of one class by operator and shapes, the costliest for the costliest (a renamed kernel); then by operator
/// alone, where the sizes of each side are not on the other; then by a kernel name that either side has once. The rest
/// was added or removed: no kernel stands for one of another class.
std::vector<Pair> match_kernels(const ProgramCost& base, const ProgramCost& fresh);

}  // namespace warplens::analysis::diff
