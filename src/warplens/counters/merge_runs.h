// Application replay: runs a program several times, counts other metrics in each run, and merges the results.
#pragma once
#include <string>
#include <vector>

#include "warplens/counters/counts.h"

namespace warplens::counters {

/// Adds to `first` the metrics that another run of the same program counted. Launches belong together by kernel, grid,
/// block and by how many such came before in their process. Returns how many launches of `first` had no partner: they
/// are left without those metrics.
size_t merge_run(Counts* first, const Counts& other);

}  // namespace warplens::counters
