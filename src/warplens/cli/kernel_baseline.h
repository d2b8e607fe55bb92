// --baseline and --fail-on of `warplens kernel`: read before the launches run, compared after.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "warplens/base/json.h"
#include "warplens/cli/verb.h"
#include "warplens/report/report.h"
#include "warplens/report/writers/baseline.h"

namespace warplens::cli {

struct Baseline {
  std::string path;
  json::Value counters;  // as --save FILE keeps them
  report::BaselineOptions options;
  std::optional<double> limit;  // growth in time that --fail-on allows; 0.05 is 5 %
};

/// What --save kept, what --keep kept, or a file of Nsight Compute's.
Result<Baseline> baseline_of(const Invocation& invocation, const std::string& path);

/// None when it was not asked for. Errors: a file that cannot be read or holds no counters; --fail-on without it or
/// with no percentage.
Result<std::optional<Baseline>> read_baseline(const Invocation& invocation);

/// Prints what changed, time first. True when a launch takes longer by more than the limit. An error where --fail-on
/// cannot judge: the baseline is of other launches.
Result<bool> compare_with(const Baseline& baseline, const Invocation& invocation,
                          const std::vector<const report::KernelReport*>& reports);

}  // namespace warplens::cli
