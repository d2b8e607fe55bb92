// A flame graph: one self-contained SVG with search and zoom.
#pragma once
#include <string>

#include "warplens/base/status.h"
#include "warplens/trace/profile/profile.h"
#include "warplens/writers/flamegraph/flame_chart.h"

namespace warplens::writers {

/// Python frames, ranges and operators from the bottom up, nested as on their thread. With device time, kernels are on
/// top and widths are GPU time; with host time, widths are time on the CPU. Error: there is no such time.
Result<std::string> flame_graph(const Profile& profile, FlameMetric metric);

}  // namespace warplens::writers
