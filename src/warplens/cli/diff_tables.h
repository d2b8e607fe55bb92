// A comparison of two profiles as tables and words.
#pragma once
#include <string>
#include <vector>

#include "warplens/output/table.h"
#include "warplens/program/analysis/diff/diff.h"

namespace warplens::cli {

struct DiffSection {
  const char* key;
  const char* title;
  Table table;
};

/// The step, the host, classes, operators and kernels. `limit`: rows a table; `columns` cuts each side's name, 0 leaves
/// it whole.
std::vector<DiffSection> diff_sections(const analysis::diff::Diff& diff, size_t limit, bool only_changed,
                                       size_t columns);

/// "3.1 % slower: a step takes 12.1 ms (was 11.7 ms); ..." and a line for each obstacle to the comparison.
std::string diff_headline(const analysis::diff::Diff& diff);

}  // namespace warplens::cli
