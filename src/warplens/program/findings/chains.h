// Runs of pointwise and row-wise kernels that one kernel could do.
#pragma once
#include <vector>

#include "warplens/program/findings/context.h"

namespace warplens::findings {

struct Chain {
  std::vector<uint32_t> events;  // indexes into Program::events, consecutive on one stream
  size_t period = 0;             // kernels of one instance: the sequence repeats after them
  int64_t elements = 0;          // of the largest tensor
  // Elements that one instance must read and write: fewer than `elements` if its first operator broadcasts smaller
  // tensors, or if it ends with a reduction.
  int64_t read = 0, written = 0;
  int element_bytes = 4;
  // An instance reduces, takes a (reciprocal) square root and scales: a normalisation by hand, or its backward pass.
  bool normalises = false;
  bool backward = false;
  int64_t least_ns = 0;  // of an instance, if one kernel cannot do it
  size_t instances() const { return (events.size() + period - 1) / period; }
};

/// Context::chains() are runs of at least so many kernels, outside optimizers and the zeroing of gradients; of fewer
/// where the largest tensor is made by broadcasting and reduced again, for it need not exist. Needs recorded shapes.
inline constexpr size_t kLeastChain = 4;

/// Time of one kernel that does an instance: it reads and writes its tensor once, and computes each element. The
/// backward pass adds a second read, and two more for the gradients of a normalisation's weights.
int64_t fused_ns(const Context& context, const Chain& chain);

/// Adds to `change` that each instance of `chain` is one kernel, launched by its first operator.
void fuse(const Context& context, const Chain& chain, Change& change);

/// Operators of one instance, by name: "mul, add, tanh".
std::string chain_names(const Context& context, const Chain& chain);

}  // namespace warplens::findings
