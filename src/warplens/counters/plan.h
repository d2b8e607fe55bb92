// Passes are planned before anything runs, and metrics are listed, on any machine: CUPTI's host side needs no GPU.
#pragma once
#include <string>
#include <vector>

#include "warplens/base/status.h"
#include "warplens/collect/counters/host.h"

namespace warplens::counters {

/// libcupti at `paths` (separated by ':'), with its profiler. Errors name the package to install.
class Cupti {
 public:
  static Result<Cupti> load(const std::string& paths);
  const cupti::ProfilerLibrary& profiler() const { return profiler_; }
  /// "GH100" for "gh100", "h200", "sm_90"; the error lists the chips that CUPTI knows.
  Result<std::string> chip(const std::string& asked) const;
  std::string explain(cupti::Result result) const { return library_.explain(result); }

 private:
  cupti::Library library_;
  cupti::ProfilerLibrary profiler_;
};

struct Plan {
  std::string chip;
  std::vector<std::string> metrics, units, missing;
  size_t passes = 0;  // runs of each launch
};

/// How `metrics` would be counted on `chip`.
Result<Plan> plan_passes(const Cupti& cupti, const std::string& chip, const std::vector<std::string>& metrics);

/// `metrics` in groups, each of which one run of a launch counts. `left_out` gets those that need more than one run by
/// themselves.
Result<std::vector<std::vector<std::string>>> single_pass_groups(const Cupti& cupti, const std::string& chip,
                                                                 const std::vector<std::string>& metrics,
                                                                 std::vector<std::string>* left_out);

/// Every metric of `chip`.
Result<std::vector<cupti::MetricInfo>> list_metrics(const Cupti& cupti, const std::string& chip);

}  // namespace warplens::counters
