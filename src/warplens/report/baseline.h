// Comparing a run's exact counters with those of an earlier one: no noise, so every change is a change of the program.
#pragma once
#include <string>
#include <vector>

#include "warplens/base/json.h"
#include "warplens/output/table.h"
#include "warplens/report/report.h"

namespace warplens::report {

struct Change {
  std::string kernel;
  std::string where;  // empty: the whole launch; else "file:line" as the lines are now
  std::string metric;
  double before = 0, after = 0;
  bool costs = false;  // of the whole launch, and more of it is worse
  /// (after - before) / before; infinite when there was none before.
  double growth() const;
};

struct BaselineComparison {
  std::vector<Change> changes;
  std::vector<std::string> notes;  // what makes the two hard to compare, and what was not
  size_t launches = 0;             // that both have
};

/// Error: not the JSON that `warplens kernel --json` prints.
Status check_baseline(const json::Value& base);

/// What differs from `base`, the JSON that `warplens kernel --json` printed then; launches are matched by kernel, in
/// order. Only metrics that are exact on both sides, and the lines' counts: lines that only moved are the same.
/// Errors: not such a file, one of another version, one that has none of the launches.
Result<BaselineComparison> compare_with_baseline(const json::Value& base, const std::vector<const KernelReport*>& now);

Table change_table(const std::vector<Change>& changes);

}  // namespace warplens::report
