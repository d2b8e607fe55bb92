// A table of the catalog as an SQLite virtual table: values are read where they lie.
#pragma once
#include <memory>
#include <vector>

#include "warplens/base/status.h"
#include "warplens/query/catalog.h"
#include "warplens/query/predicate.h"

struct sqlite3;

namespace warplens::query {

/// The authorizer's state for a connection.
struct Guard {
  const char* refused = nullptr;  // a part of the last statement that does more than read
  bool declaring = false;         // SQLite declares one of our tables, and asks to change its own schema for it
};

/// A table during a session: values of columns that queries have used, and indexes that joins made.
class OpenTable {
 public:
  OpenTable(const QueryTable& declared, const Strings& strings, Guard& guard)
      : declared_(declared),
        strings_(strings),
        guard_(guard),
        data_(declared.columns.size()),
        indexes_(declared.columns.size()),
        lookups_(declared.columns.size()) {}
  OpenTable(const OpenTable&) = delete;
  OpenTable& operator=(const OpenTable&) = delete;

  const QueryTable& declared() const { return declared_; }
  const Strings& strings() const { return strings_; }
  Guard& guard() const { return guard_; }
  uint32_t rows();
  const ColumnData& data(size_t column);
  /// An index once a column was looked up in before: one lookup is a scan, more are a join.
  const RowIndex* index_for_lookup(size_t column);
  /// Whether values do not fall from row to row.
  bool ascends(size_t column);

 private:
  const QueryTable& declared_;
  const Strings& strings_;
  Guard& guard_;
  std::optional<uint32_t> rows_;
  std::vector<std::optional<ColumnData>> data_;
  std::vector<std::unique_ptr<RowIndex>> indexes_;
  std::vector<uint8_t> lookups_;
  std::vector<std::pair<size_t, bool>> ascending_;
};

/// Makes `table` known to `db` under its name. The table must outlive the connection.
Status register_table(sqlite3* db, OpenTable& table);
/// Once no statement uses it.
void unregister_table(sqlite3* db, const OpenTable& table);

}  // namespace warplens::query
