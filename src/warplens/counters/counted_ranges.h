// NVTX ranges that were counted as a whole: the sums over all their kernels.
#pragma once
#include <string>
#include <vector>

#include "warplens/counters/counts.h"
#include "warplens/output/table.h"
#include "warplens/report/report.h"

namespace warplens::counters {

struct RangeReport {
  CountedRange counted;
  std::vector<report::Metric> metrics;  // by name; none where it was left out
  std::optional<report::Measured> measured;
};

/// Left out, with the reason, where the GPU is of no architecture that is known.
RangeReport range_report(const CountedRange& range, const CountedDevice& device);

/// One row a range: its launches, its time, bytes of memory a second, and the busiest unit.
Table ranges_table(const std::vector<RangeReport>& ranges);
/// The table, the facts known of each range, and why others were left out.
std::string ranges_text(const std::vector<RangeReport>& ranges, size_t width);
void write_ranges(json::Writer& writer, const std::vector<RangeReport>& ranges);

}  // namespace warplens::counters
