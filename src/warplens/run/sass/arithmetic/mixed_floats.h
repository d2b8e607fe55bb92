// Sums and products that convert sources of 16 bits to single precision. These are FADD and FFMA of compute capability
// 10.0 and later, which nvdisasm then calls FHADD and FHFMA.
#pragma once
#include "warplens/run/sass/decoder.h"

namespace warplens::simt::sass_machine::inline WARPLENS_ISA_NAME {

inline bool is_mixed(const Word& word) { return word.bit(81); }
/// False: a form or a modifier that is not known.
bool prepare_mixed_sum(Decoder& decoder, Op& op);
bool prepare_mixed_fused(Decoder& decoder, Op& op);

}  // namespace warplens::simt::sass_machine::inline WARPLENS_ISA_NAME
