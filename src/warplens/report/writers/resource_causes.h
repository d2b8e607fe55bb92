// What each unit of a launch works on: the counts behind its time, the lines they come from, and what less of it
// brings.
#pragma once
#include <string>
#include <vector>

#include "warplens/report/report.h"

namespace warplens::report {

struct ResourceCause {
  Resource resource;
  double halved_ns = 0;            // the launch's estimate, were this unit's time half of what it is
  std::string counts;              // "1.05 M sectors read, 4.0 a request"
  std::vector<std::string> where;  // lines that cause the most, with their shares: "saxpy.cu:4 78 %"
};

/// The units that matter to an emulated launch, longest first: with half of any other, the estimate, as it is printed,
/// would be the same. Empty for a measured launch, whose time is no model's.
std::vector<ResourceCause> resource_causes(const KernelReport& report);

/// The same as lines of a report for people; "" where there are none.
std::string resource_text(const KernelReport& report);

}  // namespace warplens::report
