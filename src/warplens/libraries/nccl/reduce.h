// Elements of several ranks become one: in the order of the ranks, so that each rank gets the same bits.
#pragma once
#include <span>

#include "warplens/libraries/nccl/operation.h"

namespace warplens::libraries {

/// out[i] = in[0][i] + in[1][i] + ..., or as `operation.reduction` has it. Halves and f8 are summed in f32 and rounded
/// once. `out` may be one of `in`.
void reduce(const Operation& operation, std::span<const void* const> in, uint64_t count, void* out);

/// One element as a number.
double value_of(Element element, const void* data);

}  // namespace warplens::libraries
