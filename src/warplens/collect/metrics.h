// The metrics that monitoring reads from a recorder: OpenMetrics text.
#pragma once
#include <array>
#include <cstdint>
#include <string>

#include "warplens/collect/cupti/activities.h"

namespace warplens::collect {

struct Headline {
  std::array<cupti::ActivityWriter::Totals, cupti::ActivityWriter::kCountedDevices> devices;
  uint64_t steps, step_ns, median_step_ns;  // steps ended; of the last one; 0 while it is not known
  uint64_t dropped;                         // activity records
};

std::string open_metrics(const Headline& headline);

}  // namespace warplens::collect
