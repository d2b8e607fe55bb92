// The processor instructions that lanes run on. Code for lanes is compiled once for each set: see lanes/values.h.
#pragma once
#include <string_view>

#include "warplens/base/status.h"

namespace warplens::simt {

/// The instruction set that lanes run on here: "avx512", "avx2" or "baseline". WARPLENS_ISA chooses a lesser one.
std::string_view lane_isa();
/// Whether vectors of this processor compute in half precision. Code for lanes does without.
bool computes_halves();
/// Error: WARPLENS_ISA is none of them. Reported when a module is loaded.
Status check_lane_isa();

}  // namespace warplens::simt
