// Counts a source line, then and now.
#pragma once
#include "warplens/report/writers/baseline.h"

namespace warplens::report {

/// Adds what differs between the lines of a saved launch and of `now`. Where a file has as many lines as before, they
/// are taken for the same in their order: a comment above them moves them, and changes nothing.
void compare_lines(const json::Value& before, const KernelReport& now, std::vector<Change>* out);

}  // namespace warplens::report
