// Counts a source line, then and now.
#pragma once
#include "warplens/report/writers/baseline.h"

namespace warplens::report {

/// Adds the differences between the lines of a saved launch and of `now`. If a file has the same number of lines as
/// before, they are matched in order: a new comment above moves them without a change. Two versions in files of other
/// names have no lines in common: a note says so.
void compare_lines(const json::Value& before, const KernelReport& now, BaselineComparison* out);

}  // namespace warplens::report
