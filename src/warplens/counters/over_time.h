// How busy the GPU's units were while a launch ran, interval by interval.
#pragma once
#include <string>
#include <vector>

#include "warplens/counters/counts.h"
#include "warplens/output/table.h"

namespace warplens::counters {

/// One row a unit: least, mean and most of its peak, and its course.
Table over_time_table(const std::vector<OverTime>& launches);
/// The same for people, one launch after the other.
std::string over_time_text(const std::vector<OverTime>& launches, size_t width);

void write_over_time(json::Writer& writer, const std::vector<OverTime>& launches);

}  // namespace warplens::counters
