// Flags that `warplens kernel` and `warplens counters` share: the contents of a report of counters, and its baseline.
#pragma once
#include <vector>

#include "warplens/cli/verb.h"

namespace warplens::cli {

/// --set and --metric.
std::vector<Flag> metric_flags();

/// --metrics, --roofline, --roofline-svg and --page.
std::vector<Flag> counter_report_flags();

/// --baseline, --as and --fail-on.
std::vector<Flag> baseline_flags();

}  // namespace warplens::cli
