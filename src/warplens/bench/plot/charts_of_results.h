// The charts that a file of results has data for.
#pragma once
#include <vector>

#include "warplens/bench/plot/chart.h"
#include "warplens/bench/results/results.h"

namespace warplens::bench {

/// latency, throughput, speedup (against the first benchmark), scaling, memory and roofline, each if it has data. Draws
/// lines over the first numeric axis with more than one value, and bars if there is none. Leaves out invalid
/// measurements.
std::vector<Chart> charts_of(const Results& results);

}  // namespace warplens::bench
