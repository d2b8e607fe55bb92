// Products and sums that ptxas makes one fused multiply-add: with -fmad, its default, `mul` and `add` or `sub` without
// a rounding modifier are rounded together.
#pragma once
#include <cstdint>
#include <vector>

#include "warplens/run/ptx/decode/register_uses.h"

namespace warplens::simt::ptx_machine {

/// The parts of an add or sub.
struct Contraction {
  uint32_t product = ptx::kNone;  // the mul or div, kNone if nothing is fused
  uint8_t addend = 0;             // which operand of the add the product is not: 1 or 2
  bool negate_product = false, negate_addend = false;
};

struct Contractions {
  std::vector<Contraction> by_instruction;
  std::vector<uint8_t> absorbed;  // 1: such a product, or a mov or neg of one, that nothing reads any more
};

/// The rule, found by compiling small kernels with ptxas 12.8 and 13.0 (sm_90 and sm_100). A mul without rounding
/// modifier, .sat or guard is fused if every reader of it is a suitable add or sub. Such a reader is in the same basic
/// block, has the same type and .ftz, and no rounding modifier. It may be read directly or through mov and neg. If both
/// operands of an add qualify, the one with fewer readers is fused, else the first. div.full and div.approx of f32 are
/// such products: of the dividend and the divisor's reciprocal.
Contractions find_contractions(const ptx::Module& module, const ptx::Function& function, const RegisterUses& uses);

}  // namespace warplens::simt::ptx_machine
