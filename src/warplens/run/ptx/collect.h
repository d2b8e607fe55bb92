// Counts of a launch from those of its workers.
#pragma once
#include "warplens/run/ptx/warp.h"

namespace warplens::simt::ptx_machine {

void collect_counts(const Grid& grid, const std::vector<std::unique_ptr<Worker>>& workers, LaunchCounts& counts);

}  // namespace warplens::simt::ptx_machine
