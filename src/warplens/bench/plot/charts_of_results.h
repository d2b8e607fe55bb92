// The charts that a file of results has data for.
#pragma once
#include <vector>

#include "warplens/bench/plot/chart.h"
#include "warplens/bench/results/results.h"

namespace warplens::bench {

/// latency, throughput, speedup (against the first benchmark), scaling, memory and roofline, those that have data.
/// Lines over the first numeric axis that takes more than one value; bars where there is none. Invalid measurements are
/// left out.
std::vector<Chart> charts_of(const Results& results);

}  // namespace warplens::bench
