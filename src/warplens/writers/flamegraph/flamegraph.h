// A flame graph: one self-contained SVG with search and zoom.
#pragma once
#include <string>

#include "warplens/base/status.h"
#include "warplens/trace/profile/profile.h"
#include "warplens/writers/flamegraph/flame_chart.h"

namespace warplens::writers {

/// Python frames, ranges and operators from the bottom up as they nest on their thread; with device time the kernels
/// are on top and widths are GPU time, with host time widths are time on the CPU. An error when there is none of it.
Result<std::string> flame_graph(const Profile& profile, FlameMetric metric);

}  // namespace warplens::writers
