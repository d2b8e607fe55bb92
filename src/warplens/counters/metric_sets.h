// Sets of metrics that are counted together: by name, or chosen by hand.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "warplens/base/status.h"

namespace warplens::counters {

struct MetricSet {
  std::string_view name;     // as --set takes it
  std::string_view content;  // for people
};

const std::vector<MetricSet>& metric_sets();

/// The metrics of a set, in the order in which they pack best.
Result<std::vector<std::string>> metrics_of_set(std::string_view name);

/// The reasons why warps wait, as the names of stall metrics have them, the usual ones first.
const std::vector<std::string_view>& stall_reasons();

/// "smsp__average_warps_issue_stalled_wait_per_issue_active.ratio" for "wait".
std::string stall_metric(std::string_view reason);

}  // namespace warplens::counters
