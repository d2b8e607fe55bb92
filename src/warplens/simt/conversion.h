// Conversions between any two types, one value at a time: the slow way that knows every format and modifier.
#pragma once
#include <cstdint>

#include "warplens/isa/ptx/types.h"
#include "warplens/simt/modifiers.h"

namespace warplens::simt {

struct Conversion {
  ptx::Type to, from;
  uint8_t rounding = 0;  // Rounding
  uint16_t flags = 0;    // RealFlags
  bool whole = false;    // round to an integral value, though the result stays a float
};

/// Bits of the result; packed types element by element (`low` holds the lower ones when there are two operands).
uint64_t convert(uint64_t bits, uint64_t low, const Conversion& conversion);

/// A minifloat, f16, bf16, tf32, f32 or f64 as double, exactly; ue8m0 too.
double decode_float(uint64_t bits, ptx::Type type);
/// `value` rounded to nearest even in `type`.
uint64_t encode_float(double value, ptx::Type type);

}  // namespace warplens::simt
