// The fields of floating-point formats.
#pragma once
#include <cstdint>

#include "warplens/isa/ptx/types.h"

namespace warplens::simt {

struct NumberFormat {
  int exponent_bits, fraction_bits, bias;
  bool infinity;  // has infinities (and NaNs beside them)
  uint64_t most;  // bits of the largest finite value
  uint64_t nan;   // of the canonical NaN; 0: has none
};
/// Of types that are not numbers with a sign: f64's.
NumberFormat number_format(ptx::Type type);

}  // namespace warplens::simt
