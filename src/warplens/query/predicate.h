// Conditions on columns, checked where the values lie, and indexes over columns that joins look values up in.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "warplens/query/column.h"

namespace warplens::query {

enum class Comparison : uint8_t { kEqual, kLess, kLessOrEqual, kGreater, kGreaterOrEqual, kIsNull, kIsNotNull };

/// `column` compared with a value. Rows that it refuses fit no such condition of SQL; rows that it lets through are
/// checked again by SQLite where types differ.
class Predicate {
 public:
  Predicate(const ColumnData& column, Comparison comparison, const Value& value, const Strings& strings);
  /// Whether no row can fit.
  bool never() const { return kind_ == Kind::kNever; }
  bool fits(uint32_t row) const;
  /// Keeps of `rows` those that fit.
  void keep(std::vector<uint32_t>& rows) const;
  const ColumnData& column() const { return column_; }
  /// The key that rows must have if it compares keys for equality; kNoValue otherwise.
  int64_t wanted_key() const { return kind_ == Kind::kKeys && low_ == high_ ? low_ : kNoValue; }

 private:
  enum class Kind : uint8_t { kAlways, kNever, kKeys, kReals, kIsNull, kIsNotNull };
  void compare_text(Comparison comparison, std::string_view text, const Strings& strings);
  void compare_number(Comparison comparison, const Value& value);

  ColumnData column_;
  Kind kind_ = Kind::kAlways;
  int64_t low_ = 0, high_ = 0;  // keys that fit, both included
  double low_real_ = 0, high_real_ = 0;
};

/// True if comparing this type by `comparison` is exact for a value of that kind, so it need not be checked again.
bool is_exact(SqlType type, Comparison comparison, Value::Kind value);

/// The rows of a column by key.
class RowIndex {
 public:
  RowIndex(const ColumnData& column, uint32_t rows);
  std::span<const uint32_t> equal(int64_t key) const;

 private:
  std::vector<int64_t> keys_;
  std::vector<uint32_t> rows_;
};

}  // namespace warplens::query
