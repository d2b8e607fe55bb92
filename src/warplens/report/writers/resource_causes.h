// The causes of each unit's time: the counts behind it, the lines that they come from, and the effect of reducing
// it.
#pragma once
#include <string>
#include <vector>

#include "warplens/report/report.h"

namespace warplens::report {

struct ResourceCause {
  Resource resource;
  double halved_ns = 0;            // the launch's estimate with half of this unit's time
  std::string counts;              // "1.05 M sectors read, 4.0 a request"
  std::vector<std::string> where;  // lines that cause the most, with their shares: "saxpy.cu:4 78 %"
};

/// The units that matter to an emulated launch, longest first: halving any other would not change the printed estimate.
/// Empty for a measured launch, whose time is not a model's.
std::vector<ResourceCause> resource_causes(const KernelReport& report);

/// The same as lines of a text report; "" if there are none.
std::string resource_text(const KernelReport& report);

}  // namespace warplens::report
