// Floating-point operations of operators, from their shapes.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "warplens/trace/profile/profile.h"

namespace warplens::analysis {

/// Torch's counts with with_flops=True: mm, addmm, bmm, baddbmm, conv2d, mul and add; 0 for all others. Source:
/// torch/csrc/profiler/util.cpp.
int64_t torch_flops(const Profile& profile, uint32_t op);

/// Operations of matrix products, convolutions and attention, forward and backward, with any profiler settings. No
/// value for other operators and without recorded shapes. Attention: 2*B*H*pairs*(D + Dv) forward, 2.5 times that
/// backward (five products instead of two); pairs are the query-key pairs that a causal mask leaves. Convolution: 2 *
/// output elements * input channels a group * kernel area.
std::optional<double> useful_flops(const Profile& profile, uint32_t op);

/// The place of an attention operator's query among its inputs, before key and value; none for other operators.
std::optional<size_t> attention_query(std::string_view operator_name);

/// Whether useful_flops() knows operators of this name.
bool has_useful_flops(std::string_view operator_name);

}  // namespace warplens::analysis
