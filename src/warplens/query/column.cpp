#include "warplens/query/column.h"

namespace warplens::query {
namespace {

template <typename T>
void gather(const ColumnData& column, std::span<const uint32_t> rows, int64_t* out, T nothing) {
  const T* values = static_cast<const T*>(column.values);
  const bool optional = column.physical == Physical::kRowNumber;
  if (column.through == nullptr && !optional) {
    for (size_t i = 0; i < rows.size(); ++i) out[i] = static_cast<int64_t>(values[rows[i]]);
    return;
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    const uint32_t at = column.through == nullptr ? rows[i] : column.through[rows[i]];
    const bool missing = at == kNone || (optional && values[at] == nothing);
    out[i] = missing ? kNoValue : static_cast<int64_t>(values[at]);
  }
}

}  // namespace

void gather_keys(const ColumnData& column, std::span<const uint32_t> rows, int64_t* out) {
  switch (column.physical) {
    case Physical::kInt32: return gather<int32_t>(column, rows, out, 0);
    case Physical::kInt64:
    case Physical::kUint64:
    case Physical::kOptional: return gather<int64_t>(column, rows, out, 0);
    case Physical::kUint8:
    case Physical::kName: return gather<uint8_t>(column, rows, out, 0);
    case Physical::kRowNumber:
    case Physical::kText:
    case Physical::kLongName: return gather<uint32_t>(column, rows, out, kNone);
    case Physical::kOwnRow:
    case Physical::kReal: break;
  }
  for (size_t i = 0; i < rows.size(); ++i) out[i] = key_at(column, rows[i]);
}

}  // namespace warplens::query
