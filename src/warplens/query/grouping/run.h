// Computes the groups of a plan, a block of rows at a time.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "warplens/query/grouping/plan.h"
#include "warplens/query/virtual_table.h"

namespace warplens::query {

/// The groups as a table of their own, in the order of their keys. It owns its columns' data.
struct GroupedTable {
  QueryTable table;
  std::vector<std::vector<uint32_t>> places;  // of each key's values, of each group
  std::vector<std::vector<int64_t>> integers;
  std::vector<std::vector<double>> reals;
  std::vector<std::vector<uint32_t>> present;  // where real values are: kNone is NULL
};

/// No value where a sum of integers leaves 64 bits, which SQL has to say.
std::optional<std::unique_ptr<GroupedTable>> run_grouping(const GroupingPlan& plan, OpenTable& table);

}  // namespace warplens::query
