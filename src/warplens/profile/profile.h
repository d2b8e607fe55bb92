// The profile: columns of events, interned strings, and what is known of their integrity. Every reader fills one,
// every analysis and writer takes one. Tables are declared in schema.def.
#pragma once
#include <cstdint>
#include <memory>
#include <string_view>

#include "warplens/profile/column.h"
#include "warplens/profile/integrity.h"
#include "warplens/profile/strings.h"

namespace warplens {

inline constexpr uint32_t kNone = UINT32_MAX;  // in columns that name a row of another table

enum class OperatorKind : uint8_t { kOperator, kRange, kInstant };
enum class CallKind : uint8_t { kRuntime, kDriver };
enum class DeviceEventKind : uint8_t { kKernel, kCopy, kSet, kRange };
enum class CopyKind : uint8_t { kNone, kHostToDevice, kDeviceToHost, kDeviceToDevice, kHostToHost, kPeerToPeer, kOther };

#define WL_TABLE(table, first, what) \
  struct table##_table {             \
    size_t size() const { return first.size(); }
#define WL_COLUMN(type, column, what) Column<type> column;
#define WL_END() \
  }              \
  ;
#include "warplens/profile/schema.def"
#undef WL_TABLE
#undef WL_COLUMN
#undef WL_END

struct Profile {
  Strings strings;
  int64_t base_ns = 0;  // nanoseconds since 1970 of time 0; 0 when the source does not say
  Integrity integrity;

#define WL_TABLE(table, first, what) table##_table table;
#define WL_COLUMN(type, column, what)
#define WL_END()
#include "warplens/profile/schema.def"
#undef WL_TABLE
#undef WL_COLUMN
#undef WL_END

  std::string_view text(StringId id) const { return strings[id]; }

  std::shared_ptr<void> backing;  // keeps alive what borrowed columns point into (a mapped file)
};

}  // namespace warplens
