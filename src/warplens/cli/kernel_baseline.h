// --baseline and --fail-on of `warplens kernel`: read before the launches run, compared after.
#pragma once
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "warplens/base/json.h"
#include "warplens/cli/verb.h"
#include "warplens/report/report.h"

namespace warplens::cli {

struct Baseline {
  std::string path;
  json::Value counters;                                     // as --save FILE keeps them
  double limit = std::numeric_limits<double>::infinity();  // growth that --fail-on allows; 0.05 is 5 %
};

/// None when it was not asked for. Errors: a file that cannot be read or holds no counters; --fail-on without it or
/// with no percentage.
Result<std::optional<Baseline>> read_baseline(const Invocation& invocation);

/// Prints what changed. True when an exact counter that costs time grew by more than the limit.
Result<bool> compare_with(const Baseline& baseline, const Invocation& invocation,
                          const std::vector<const report::KernelReport*>& reports);

}  // namespace warplens::cli
