// Attention of sequences that lie one after another, and its gradients, in float64: what kernels/attention_varlen* must
// compute. Arrays are tokens x heads x size (lse: tokens x heads); the last one has the sequences' first tokens and the
// number of all.
#pragma once
#include <span>

#include "warplens/bench/suite/array_functions.h"

namespace warplens::bench {

std::span<const ArrayFunction> varied_attention_functions();

}  // namespace warplens::bench
