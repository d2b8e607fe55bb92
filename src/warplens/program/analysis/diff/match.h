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

/// Each row of either side is in exactly one pair. Rows pair by operator, shapes and kernel name. Then other kernels of
/// one class pair by operator and shapes, by descending cost (a renamed kernel). Then rows pair by operator alone, if
/// the sizes of each side are not on the other. Last, they pair by a kernel name that both sides have once. The rest
/// was added or removed: kernels of different classes never pair.
std::vector<Pair> match_kernels(const ProgramCost& base, const ProgramCost& fresh);

}  // namespace warplens::analysis::diff
