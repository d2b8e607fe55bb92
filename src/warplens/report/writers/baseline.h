// Comparing a run with an earlier one: what its launches are expected to take, and the exact counters that say why.
// There is no noise in emulated counters, so every change is a change of the program; those of the hardware count where
// they differ by more than its noise.
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
  /// (after - before) / before; infinite when there was none before.
  double growth() const;
};

/// What a launch is expected to take, then and now.
struct TimeChange {
  std::string kernel, limited_by;  // as it is now
  double before_ns = 0, after_ns = 0;
  /// Of the time that the launch's work takes, without what any launch costs: a small one must not hide what grew.
  double growth() const;
};

struct BaselineComparison {
  std::vector<TimeChange> times;  // of the launches that both have
  std::vector<Change> changes;
  std::vector<std::string> notes;  // what makes the two hard to compare, and what was not
  std::vector<std::string> other;  // why the baseline is of other launches: it must not pass for these
};

struct BaselineOptions {
  std::string as;     // compare every launch with this kernel of the baseline, whatever its grid and block
  bool some = false;  // only some of the baseline's launches were asked for: those that were not run are no fault
};

/// Error: not the JSON that `warplens kernel --json` prints.
Status check_baseline(const json::Value& base);

/// What differs from `base`, the JSON that `warplens kernel --json` printed then; launches are matched by kernel, in
/// order. Of counters only metrics that are exact on both sides, and the lines' counts: lines that only moved are the
/// same. Errors: not such a file, one of another version, one that has none of the launches.
Result<BaselineComparison> compare_with_baseline(const json::Value& base, const std::vector<const KernelReport*>& now,
                                                 const BaselineOptions& options = {});

Table time_table(const std::vector<TimeChange>& times);
Table change_table(const std::vector<Change>& changes);

}  // namespace warplens::report
