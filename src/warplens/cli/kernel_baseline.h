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
  std::optional<double> limit;  // growth in time that --fail-on allows, if it names a percentage; 0.05 is 5 %
};

/// The counts that --save or --keep kept, or a file of Nsight Compute.
Result<Baseline> baseline_of(const Invocation& invocation, const std::string& path);

/// None if the user gave none. Errors: a file that cannot be read or holds no counters; --fail-on with a
/// percentage and without it.
Result<std::optional<Baseline>> read_baseline(const Invocation& invocation);

/// `report`, an object of JSON, with the comparison as its last member: "baseline". Unchanged without a baseline, and
/// with one that compare_with refuses.
std::string with_comparison(const std::optional<Baseline>& baseline, std::string report,
                            const std::vector<const report::KernelReport*>& reports);

/// True if a launch has a finding of the level that --fail-on names, or a more severe one.
Result<bool> findings_cross(const Invocation& invocation, const std::vector<const report::KernelReport*>& reports);

/// Prints the changes, time first. True if a launch takes longer by more than the limit. Error: --fail-on cannot judge,
/// because the baseline has other launches.
Result<bool> compare_with(const Baseline& baseline, const Invocation& invocation,
                          const std::vector<const report::KernelReport*>& reports);

}  // namespace warplens::cli
