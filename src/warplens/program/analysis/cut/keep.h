// Takes rows out of a profile's tables.
#pragma once
#include <string_view>
#include <vector>

#include "warplens/trace/profile/profile.h"

namespace warplens::analysis {

/// Drops the rows of `table` that `keep` does not name; the others move up.
template <typename Table>
void keep_rows(Table& table, const std::vector<bool>& keep) {
  for_each_column(table, [&](std::string_view, auto& column, const char*) {
    size_t to = 0;
    for (size_t row = 0; row < keep.size(); ++row) {
      if (keep[row]) column.at(to++) = column[row];
    }
    column.resize(to);
  });
}

/// Drops ranks and devices with their threads and metadata, and renumbers references to the rest. No event may refer to
/// a dropped one.
void keep_ranks(Profile& profile, const std::vector<bool>& ranks, const std::vector<bool>& devices);

}  // namespace warplens::analysis
