// The profile: columns of events, interned strings, and their integrity. Every reader fills one, every analysis and
// writer takes one. Tables are declared in schema.def.
#pragma once
#include <compare>
#include <concepts>
#include <cstdint>
#include <memory>
#include <string_view>
#include <type_traits>

#include "warplens/trace/profile/column.h"
#include "warplens/trace/profile/integrity.h"
#include "warplens/trace/profile/strings.h"

namespace warplens {

inline constexpr uint32_t kNone = UINT32_MAX;  // in columns that name a row of another table

enum class OperatorKind : uint8_t { kOperator, kRange, kInstant };
enum class CallKind : uint8_t { kRuntime, kDriver };
enum class DeviceEventKind : uint8_t { kKernel, kCopy, kSet, kRange };
enum class CopyKind : uint8_t {
  kNone,
  kHostToDevice,
  kDeviceToHost,
  kDeviceToDevice,
  kHostToHost,
  kPeerToPeer,
  kOther
};

#define WL_TABLE(table, first, what) \
  struct table##_table {             \
    size_t size() const { return first.size(); }
#define WL_COLUMN(type, column, what) Column<type> column;
#define WL_END() \
  }              \
  ;
#include "warplens/trace/profile/schema.def"
#undef WL_TABLE
#undef WL_COLUMN
#undef WL_END

// One row of a table; members that are not set are 0.
#define WL_TABLE(table, first, what) \
  struct table##_row {               \
    auto operator<=>(const table##_row&) const = default;
#define WL_COLUMN(type, column, what) type column = {};
#define WL_END() \
  }              \
  ;
#include "warplens/trace/profile/schema.def"
#undef WL_TABLE
#undef WL_COLUMN
#undef WL_END

#define WL_TABLE(table, first, what) inline void append(table##_table& to, const table##_row& row) {
#define WL_COLUMN(type, column, what) to.column.push_back(row.column);
#define WL_END() }
#include "warplens/trace/profile/schema.def"
#undef WL_TABLE
#undef WL_COLUMN
#undef WL_END

#define WL_TABLE(table, first, what)                               \
  inline table##_row row_of(const table##_table& from, size_t i) { \
    return {
#define WL_COLUMN(type, column, what) from.column[i],
#define WL_END() \
  }              \
  ;              \
  }
#include "warplens/trace/profile/schema.def"
#undef WL_TABLE
#undef WL_COLUMN
#undef WL_END

// for_each_column(table, visitor): visitor(name, column, meaning) for each column in order.
#define WL_TABLE(table, first, what)                                 \
  template <typename Table, typename Visitor>                        \
    requires std::same_as<std::remove_const_t<Table>, table##_table> \
  void for_each_column(Table& self, Visitor&& visitor) {
#define WL_COLUMN(type, column, what) visitor(#column, self.column, what);
#define WL_END() }
#include "warplens/trace/profile/schema.def"
#undef WL_TABLE
#undef WL_COLUMN
#undef WL_END

struct Tables {
#define WL_TABLE(table, first, what) table##_table table;
#define WL_COLUMN(type, column, what)
#define WL_END()
#include "warplens/trace/profile/schema.def"
#undef WL_TABLE
#undef WL_COLUMN
#undef WL_END
};

/// visitor(name, table, meaning of a row) for each table in order.
template <typename AnyTables, typename Visitor>
void for_each_table(AnyTables& self, Visitor&& visitor) {
#define WL_TABLE(table, first, what) visitor(#table, self.table, what);
#define WL_COLUMN(type, column, what)
#define WL_END()
#include "warplens/trace/profile/schema.def"
#undef WL_TABLE
#undef WL_COLUMN
#undef WL_END
}

struct Profile : Tables {
  Strings strings;
  int64_t base_ns = 0;  // nanoseconds since 1970 of time 0; 0 when the source does not say
  Integrity integrity;

  std::string_view text(StringId id) const { return strings[id]; }

  std::shared_ptr<void> backing;  // keeps alive the memory of borrowed columns (a mapped file)
};

}  // namespace warplens
