// Loops of the program over its tensors: "for p in model.parameters(): p.grad.mul_(scale)"
#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

#include "warplens/model/constants.h"
#include "warplens/program/findings/turns.h"

namespace warplens::findings {

/// A loop whose every turn runs the same pointwise operators and reductions on another tensor. Shapes differ from turn
/// to turn, so no turn uses the result of the one before. Context::tensor_loops() has those outside optimizers, whose
/// steps have a name of their own.
struct TensorLoop {
  Turns turns;
  size_t kernels = 0;    // of all turns
  bool waits = false;    // the host reads something of each tensor
  bool updates = false;  // it changes tensors in place, element by element
};

/// Kernels on lists that so many tensors take.
inline double lists_of(double tensors) { return std::max(1.0, tensors / model::kListedTensors); }

/// Adds to `change` that operators on lists (torch._foreach_...) do all turns: a kernel for each few tensors, at the
/// rate of memory. The host's work is that of as many turns, and listing the tensors.
void run_on_lists(const Context& context, const TensorLoop& loop, Change& change);

}  // namespace warplens::findings
