// What a metric counts.
#pragma once
#include <string_view>

namespace warplens::report {

/// "sector", "byte", "inst", "%", "ns", ... by the parts of Nsight Compute's names; "" for plain numbers.
std::string_view unit_of(std::string_view metric);

}  // namespace warplens::report
