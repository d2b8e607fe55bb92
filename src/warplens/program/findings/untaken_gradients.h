// Gradients of leaves that no optimizer updates and nothing clears: the backward pass adds to them in vain.
#pragma once
#include <vector>

#include "warplens/program/findings/context.h"

namespace warplens::findings {

struct UntakenGradients {
  Change change;                    // the work that makes them, and autograd's around it
  std::vector<uint32_t> operators;  // that make them
  size_t tensors = 0;               // gradients, of all steps
  int64_t device_ns = 0;            // of that work
};

/// Needs shapes. Where some leaves of one shape are cleared, all of that shape count as taken.
UntakenGradients untaken_gradients(const Context& context);

}  // namespace warplens::findings
