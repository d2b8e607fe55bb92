// Products and sums that ptxas makes one fused multiply-add: with -fmad, its default, `mul` and `add` or `sub` without
// a rounding modifier are rounded together.
#pragma once
#include <cstdint>
#include <vector>

#include "warplens/run/ptx/decode/register_uses.h"

namespace warplens::simt::ptx_machine {

/// What an add or sub is made of.
struct Contraction {
  uint32_t product = ptx::kNone;  // the mul or div, kNone when nothing is fused
  uint8_t addend = 0;             // which operand of the add the product is not: 1 or 2
  bool negate_product = false, negate_addend = false;
};

struct Contractions {
  std::vector<Contraction> by_instruction;
  std::vector<uint8_t> absorbed;  // 1: such a product, or a mov or neg of one, that nothing reads any more
};

/// The rule, found by looking at what ptxas 12.8 and 13.0 make of small kernels (sm_90 and sm_100): a mul without
/// rounding modifier, .sat or guard is fused when every reader of it is an add or sub in the same basic block, of the
/// same type and .ftz, without rounding modifier; directly or through mov and neg. Where both operands of an add could
/// be, the one with fewer readers is, else the first. div.full and div.approx of f32 are such products: of the dividend
/// and the divisor's reciprocal.
Contractions find_contractions(const ptx::Module& module, const ptx::Function& function, const RegisterUses& uses);

}  // namespace warplens::simt::ptx_machine
