// Floating-point reductions in the order of blocks.
#pragma once
#include "warplens/sass/isa.h"
#include "warplens/sass/op.h"

namespace warplens::sass::inline WARPLENS_ISA_NAME {

void apply_sum(const PendingSum& sum);

}  // namespace warplens::sass::inline WARPLENS_ISA_NAME
