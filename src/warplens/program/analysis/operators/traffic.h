// Bytes that an operator must move between device memory and the chip, from its shapes.
#pragma once
#include <optional>
#include <string_view>

#include "warplens/trace/profile/profile.h"

namespace warplens::analysis {

/// Every input read once and every output written once: matrix products, convolutions, attention, normalisations,
/// softmax, pointwise operators and copies. No value for other operators (gathers touch only part of their inputs) and
/// without recorded shapes or types.
std::optional<double> least_bytes(const Profile& profile, uint32_t op);

/// One element of the output comes from one element of each input: `aten::mul`, `aten::mul_`, copies.
bool is_pointwise(std::string_view operator_name);

/// Softmax, normalisations and fills: they take rows of a tensor, and compute in 32 bits also where its type has 16.
bool is_by_rows(std::string_view operator_name);

/// Whether least_bytes() knows operators of this name.
bool has_least_bytes(std::string_view operator_name);

}  // namespace warplens::analysis
