// Attention of packed sequences, and its gradients, in float64: the references of kernels/attention_varlen*.
// Arrays are tokens x heads x size (lse: tokens x heads); the last one has the sequences' first tokens and the
// total.
#pragma once
#include <span>

#include "warplens/bench/suite/array_functions.h"

namespace warplens::bench {

std::span<const ArrayFunction> varied_attention_functions();

}  // namespace warplens::bench
