// Weights of 8 bits that become 16 or 32 bits anew before each product that reads them.
#pragma once
#include <vector>

#include "warplens/program/findings/context.h"

namespace warplens::findings {

struct Dequantised {
  Change change;                    // without the conversions and the scaling after them
  std::vector<uint32_t> operators;  // that convert, outermost
  size_t weights = 0;               // conversions, of all steps
  int64_t device_ns = 0;
};

/// Only in programs that make no tensors of 8 bits in a step: then those that are converted do not change.
Dequantised dequantised(const Context& context);

}  // namespace warplens::findings
