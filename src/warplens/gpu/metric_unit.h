// What a metric counts.
#pragma once
#include <string>
#include <string_view>

namespace warplens::gpu {

/// "sector", "byte", "inst/warp", "%", "ns", ... by the parts of Nsight Compute's names; "" for plain numbers.
/// What follows an @ is the place that was counted.
std::string unit_of(std::string_view metric);

}  // namespace warplens::gpu
