// A group-by over one table that can be computed on its columns, without SQLite's machine going through the rows.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warplens/query/catalog.h"
#include "warplens/query/predicate.h"

namespace warplens::query {

enum class Aggregate : uint8_t { kCount, kSum, kTotal, kMin, kMax, kMean };

inline constexpr size_t kAllRows = SIZE_MAX;  // column of count(*)

struct AggregateCall {
  Aggregate aggregate;
  size_t column;
  bool operator==(const AggregateCall&) const = default;
};

struct Condition {
  size_t column;
  Comparison comparison;
  Value::Kind kind = Value::Kind::kNull;
  int64_t integer = 0;
  double real = 0;
  std::string text = {};
};

/// The aggregation to compute, and the remaining statement over its result: a table `grouped` with the columns key0,
/// ... and value0, .... The statement still sorts, filters groups and calculates.
struct GroupingPlan {
  const QueryTable* table = nullptr;
  std::vector<Condition> conditions;  // all of them must hold
  std::vector<size_t> keys;           // columns
  std::vector<AggregateCall> calls;
  std::string outer;
};

inline constexpr const char* kGroupedTable = "grouped";

/// No value if the statement may give another answer this way.
std::optional<GroupingPlan> plan_grouping(std::string_view sql, const Catalog& catalog);

}  // namespace warplens::query
