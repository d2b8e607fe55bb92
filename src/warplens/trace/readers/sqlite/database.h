// An SQLite file from an untrusted source: opened read-only, read table by table. Its views, triggers, virtual tables
// and functions are never run, and its claims about sizes are not trusted.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "warplens/base/status.h"
#include "warplens/trace/readers/input/input.h"

struct sqlite3;
struct sqlite3_stmt;

namespace warplens::sqlite {

/// The rows of one table, in the order of the file. Values are converted as SQLite converts them.
class Rows {
 public:
  Rows() = default;
  Rows(sqlite3_stmt* statement, int64_t most_rows);
  explicit Rows(Status damage);
  Rows(Rows&& other) noexcept;
  Rows& operator=(Rows&&) = delete;
  ~Rows();
  /// Moves to the next row; false at the end, and where the table is damaged.
  bool next();
  bool is_null(int column) const;
  bool is_integer(int column) const;                         // a number, or a text of one
  int64_t integer(int column, int64_t otherwise = 0) const;  // `otherwise` if there is none
  double real(int column) const;
  std::string_view text(int column) const;  // valid until next()
  const Status& damage() const { return damage_; }

 private:
  sqlite3_stmt* statement_ = nullptr;
  int64_t most_rows_ = 0, read_ = 0;
  Status damage_;
};

class Database {
 public:
  static bool sniff(std::string_view head);
  /// Error: not a database, or so little of one is left that its list of tables cannot be read.
  static Result<Database> open(Input& input);
  Database(Database&&) noexcept = default;
  ~Database();

  /// Real tables with the names of their columns.
  const std::map<std::string, std::vector<std::string>>& tables() const { return tables_; }
  bool has(const std::string& table) const { return tables_.contains(table); }
  bool has(const std::string& table, std::string_view column) const;
  /// Columns that the table lacks read as NULL; a missing table has no rows.
  Rows rows(const std::string& table, const std::vector<const char*>& columns) const;
  uint64_t size_bytes() const { return size_bytes_ > 0 ? static_cast<uint64_t>(size_bytes_) : 0; }
  /// Views and triggers, which are not used.
  int64_t left_out() const { return left_out_; }
  /// Why the file is shorter than it says; empty when it is whole.
  const std::string& truncation() const { return truncation_; }

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  Database() = default;
  Status open_file(const std::string& path);
  Status open_bytes(Input& input);
  Status list_tables();

  std::unique_ptr<std::string> bytes_;  // of an input that is not a plain file
  std::unique_ptr<sqlite3, Close> handle_;
  std::map<std::string, std::vector<std::string>> tables_;
  int64_t size_bytes_ = 0, left_out_ = 0;
  std::string truncation_;
};

}  // namespace warplens::sqlite
