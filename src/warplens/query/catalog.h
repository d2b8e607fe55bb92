// The profile as tables for SQL: the one declaration from which queries, `--schema` and docs/profile-tables.md follow.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "warplens/query/column.h"
#include "warplens/trace/profile/profile.h"

namespace warplens::query {

class Facts;

/// Where a table's rows come from.
enum class Origin : uint8_t {
  kProfile,   // a table of the profile, as it is in memory
  kSelected,  // rows of one, with the rows that they refer to
  kComputed,  // results of an analysis, computed on first use
  kView,      // a query over the others
};

struct QueryTable {
  std::string name;
  std::string what;
  Origin origin = Origin::kProfile;
  std::vector<ColumnSource> columns;
  std::function<uint32_t()> rows;  // may take computing them
  std::string sql = {};            // of a view
};

/// The tables of one profile, which must outlive it. Computed tables are computed once.
class Catalog {
 public:
  explicit Catalog(const Profile& profile);
  ~Catalog();
  Catalog(const Catalog&) = delete;
  Catalog& operator=(const Catalog&) = delete;

  const Profile& profile() const { return profile_; }
  const std::vector<QueryTable>& tables() const { return tables_; }
  /// nullptr if there is none of that name.
  const QueryTable* find(std::string_view name) const;

 private:
  const Profile& profile_;
  std::unique_ptr<Facts> facts_;
  std::vector<QueryTable> tables_;
};

/// The column's unit, which its name ends with: "ns", "bytes", "GB/s", "0..1"; empty for counts, names and numbers.
std::string_view unit_of(std::string_view column);

/// The parts of the catalog, each in a file of its own.
void add_profile_tables(const Profile& profile, Facts& facts, std::vector<QueryTable>& tables);
void add_selected_tables(const Profile& profile, Facts& facts, std::vector<QueryTable>& tables);
void add_computed_tables(const Profile& profile, Facts& facts, std::vector<QueryTable>& tables);
void add_views(std::vector<QueryTable>& tables);

}  // namespace warplens::query
