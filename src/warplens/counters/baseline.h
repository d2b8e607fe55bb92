// Comparing a run's exact counters with those of an earlier one: no noise, so every change is a change of the program.
#pragma once
#include <string>
#include <vector>

#include "warplens/base/json.h"
#include "warplens/counters/report.h"
#include "warplens/output/table.h"

namespace warplens::counters {

struct Change {
  std::string kernel;
  std::string where;   // empty: the whole launch; else "file:line"
  std::string metric;
  double before = 0, after = 0;
  bool costs = false;  // more of it is worse
  double growth() const { return before > 0 ? after / before - 1 : after > 0 ? 1 : 0; }
};

/// Error: not the JSON that `warplens kernel --json` prints.
Status check_baseline(const json::Value& base);

/// What differs from `base`, the JSON that `warplens kernel --json` printed then; launches are matched by kernel, in
/// order. Only metrics that are exact on both sides, and the lines' counts. Errors: not such a file.
Result<std::vector<Change>> compare_with_baseline(const json::Value& base, const std::vector<const KernelReport*>& now);

Table change_table(const std::vector<Change>& changes);

}  // namespace warplens::counters
