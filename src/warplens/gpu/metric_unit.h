// The unit of a metric.
#pragma once
#include <string>
#include <string_view>

namespace warplens::gpu {

/// "sector", "byte", "inst/warp", "%", "ns", ... by the parts of Nsight Compute's names; "" for plain numbers. The part
/// after an @ names the counted place.
std::string unit_of(std::string_view metric);

}  // namespace warplens::gpu
