// Compares a run with an earlier one: its launches' expected times, and the exact counters that explain them. Emulated
// counters have no noise, so every change is a change of the program. Hardware counters count if they differ by more
// than their noise.
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

/// A launch's expected time, then and now.
struct TimeChange {
  std::string kernel, limited_by;  // its present state
  double before_ns = 0, after_ns = 0;
  /// A share of the launch's own work, without the fixed cost of a launch: else growth in a small one would not show.
  double growth() const;
};

/// The time that one unit needs for a launch, then and now: the larger the difference, the more it explains.
struct UnitChange {
  std::string kernel, unit;
  double before_ns = 0, after_ns = 0;
};

struct BaselineComparison {
  size_t matched = 0;              // launches that the baseline has
  std::vector<TimeChange> times;   // of the launches that both have
  std::vector<UnitChange> units;   // of each launch, the largest difference first
  std::vector<Change> changes;     // of each launch, in the order of order_by_explanation; then lines
  std::vector<std::string> notes;  // reasons that make the two hard to compare, and the parts that were not compared
  std::vector<std::string> other;  // why the baseline is of other launches: it must not pass for these
};

struct BaselineOptions {
  std::string as;     // compare every launch with this kernel of the baseline, with any grid and block
  bool some = false;  // only some of the baseline's launches were requested: missing ones are not an error
};

/// Error: not the JSON that `warplens kernel --json` prints.
Status check_baseline(const json::Value& base);

/// The differences from `base`, an earlier JSON of `warplens kernel --json`; launches are matched by kernel, in order.
/// Compares only metrics that are exact on both sides, and the lines' counts: lines that only moved are the same.
/// Without a common launch `matched` is 0, and `other` says which launches the baseline has.
/// Errors: not such a file, another version.
Result<BaselineComparison> compare_with_baseline(const json::Value& base, const std::vector<const KernelReport*>& now,
                                                 const BaselineOptions& options = {});

/// As an object: the rows of the tables, and the notes.
void write_comparison(json::Writer& writer, const BaselineComparison& compared);

Table time_table(const std::vector<TimeChange>& times);
Table unit_table(const std::vector<UnitChange>& units);
Table change_table(const std::vector<Change>& changes);

}  // namespace warplens::report
