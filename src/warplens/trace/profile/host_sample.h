// Samples of host threads from outside: rows of other_events of this category. Their name is
// the stack, outermost first, joined by ';': "file(line): function" for Python's frames,
// "library: function" for native ones. Their arguments are {"state": "running"} or the object
// of a wait.
#pragma once
#include <string_view>

namespace warplens {

inline constexpr std::string_view kHostSampleCategory = "host_sample";
inline constexpr std::string_view kWaitsForGil = "waits for the GIL";  // a state

}  // namespace warplens
