// A column as SQL sees it: values that lie where they are, perhaps reached through rows of another table.
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "warplens/trace/profile/value_names.h"

namespace warplens::query {

/// How values are in memory. kRowNumber: uint32_t, kNone is NULL. kOptional: int64_t, INT64_MIN is NULL. kOwnRow: the
/// row's own number, no values. kText: StringId. kName: uint8_t into `names`; kLongName: uint32_t into them.
enum class Physical : uint8_t {
  kInt32,
  kInt64,
  kUint8,
  kUint64,
  kRowNumber,
  kOptional,
  kOwnRow,
  kReal,
  kText,
  kName,
  kLongName
};

enum class SqlType : uint8_t { kInteger, kReal, kText };

inline constexpr int64_t kNoValue = INT64_MIN;  // NULL in kOptional columns

struct ColumnData {
  Physical physical = Physical::kInt64;
  const void* values = nullptr;
  std::span<const std::string_view> names;  // of kName and kLongName, each once
  const uint32_t* through = nullptr;        // row -> index into `values` (kNone: NULL); nullptr: the row itself
};

/// One value: NULL, an integer, a real number or a text.
struct Value {
  enum class Kind : uint8_t { kNull, kInteger, kReal, kText } kind = Kind::kNull;
  int64_t integer = 0;
  double real = 0;
  std::string_view text;
};

template <typename T>
constexpr Physical physical_of() {
  if constexpr (std::is_same_v<T, StringId>) return Physical::kText;
  else if constexpr (std::is_enum_v<T>) return Physical::kName;
  else if constexpr (std::is_same_v<T, double>) return Physical::kReal;
  else if constexpr (std::is_same_v<T, int64_t>) return Physical::kInt64;
  else if constexpr (std::is_same_v<T, int32_t>) return Physical::kInt32;
  else if constexpr (std::is_same_v<T, uint32_t>) return Physical::kRowNumber;
  else if constexpr (std::is_same_v<T, uint64_t>) return Physical::kUint64;
  else return Physical::kUint8;
}

/// Its values are places among `names`.
constexpr bool is_named(Physical physical) { return physical == Physical::kName || physical == Physical::kLongName; }

constexpr SqlType sql_type(Physical physical) {
  if (physical == Physical::kReal) return SqlType::kReal;
  return physical == Physical::kText || is_named(physical) ? SqlType::kText : SqlType::kInteger;
}

/// Where the value of `row` is; kNone if there is none.
inline uint32_t place_of(const ColumnData& column, uint32_t row) {
  return column.through != nullptr ? column.through[row] : row;
}

/// Integers, and the numbers of texts: ids of interned ones, places among names. kNoValue if it is NULL. Real numbers
/// have none.
inline int64_t key_at(const ColumnData& column, uint32_t row) {
  const uint32_t at = place_of(column, row);
  if (at == kNone) return kNoValue;
  switch (column.physical) {
    case Physical::kInt32: return static_cast<const int32_t*>(column.values)[at];
    case Physical::kInt64:
    case Physical::kUint64:
    case Physical::kOptional: return static_cast<const int64_t*>(column.values)[at];
    case Physical::kUint8:
    case Physical::kName: return static_cast<const uint8_t*>(column.values)[at];
    case Physical::kText:
    case Physical::kLongName: return static_cast<const uint32_t*>(column.values)[at];
    case Physical::kRowNumber: {
      const uint32_t value = static_cast<const uint32_t*>(column.values)[at];
      return value == kNone ? kNoValue : int64_t{value};
    }
    case Physical::kOwnRow: return at;
    case Physical::kReal: break;
  }
  return 0;
}

/// The keys of `rows`, one after another.
void gather_keys(const ColumnData& column, std::span<const uint32_t> rows, int64_t* out);

inline double real_at(const ColumnData& column, uint32_t place) {
  return static_cast<const double*>(column.values)[place];
}

inline Value value_at(const ColumnData& column, const Strings& strings, uint32_t row) {
  const uint32_t at = place_of(column, row);
  if (at == kNone) return {};
  if (column.physical == Physical::kReal) return {Value::Kind::kReal, 0, real_at(column, at), {}};
  const int64_t key = key_at(column, row);
  switch (column.physical) {
    case Physical::kText: return {Value::Kind::kText, 0, 0, strings[StringId{static_cast<uint32_t>(key)}]};
    case Physical::kName:
    case Physical::kLongName:
      return {Value::Kind::kText, 0, 0,
              static_cast<size_t>(key) < column.names.size() ? column.names[static_cast<size_t>(key)] : ""};
    case Physical::kRowNumber:
    case Physical::kOptional:
      if (key == kNoValue) return {};
      break;
    default: break;
  }
  return {Value::Kind::kInteger, key, 0, {}};
}

/// A column's declaration, and how to get its values, which may take computing them.
struct ColumnSource {
  std::string name;  // its unit is its ending: _ns, _bytes
  std::string what;
  SqlType type = SqlType::kInteger;
  std::string refers_to = {};  // the table that its row numbers refer to
  std::function<ColumnData()> data;
};

}  // namespace warplens::query
