// Minima and maxima with modifiers, and of pairs of 16 bits.
#pragma once
#include "warplens/run/sass/decoder.h"

namespace warplens::simt::sass_machine {

/// FMNMX with flushing, NaN for NaN, or the product's sign; sources without their signs are in a and b.
void float_extreme(Warp& w, const Op& op, uint32_t on);
/// HMNMX2, with any modifier. The formats of its sources are those of HADD2.
void half_extreme(Warp& w, const Op& op, uint32_t on);
/// FMNMX3: of three.
void float_extreme_of_three(Warp& w, const Op& op, uint32_t on);
/// VIMNMX and VIMNMX3 of pairs of 16 bits; without a third source it is the second again.
void pair_extreme(Warp& w, const Op& op, uint32_t on);
/// VIADDMNMX of pairs of 16 bits: of a + b, which wraps, and c.
void pair_sum_extreme(Warp& w, const Op& op, uint32_t on);

}  // namespace warplens::simt::sass_machine
