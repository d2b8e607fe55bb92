// Attention and its gradients in float64, as array functions: the references of kernels/attention*. Arrays are batch x
// heads x tokens x size; heads of q may share one of k and v. Large arrays are computed in some rows only.
#pragma once
#include <span>

#include "warplens/bench/suite/array_functions.h"

namespace warplens::bench {

std::span<const ArrayFunction> attention_functions();

}  // namespace warplens::bench
