// Metadata of recordings by warplens, as the recorder measured them in the recorded process, in nanoseconds.
#pragma once
#include <string_view>

namespace warplens {

inline constexpr std::string_view kOperatorCost = "recording_operator_ns";  // the cost of recording one operator
inline constexpr std::string_view kModuleCost = "recording_module_ns";      // and to a call of a module
inline constexpr std::string_view kCallCost = "recording_call_ns";          // and to a call of CUDA

}  // namespace warplens
