#include "warplens/query/predicate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace warplens::query {
namespace {

constexpr double kTwoTo63 = 9223372036854775808.0;

/// Whole numbers x with x < value, x <= value, ... as a range of keys, both included; empty where low > high.
std::pair<int64_t, int64_t> whole_range(Comparison comparison, double value) {
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min() + 1, kMax = std::numeric_limits<int64_t>::max();
  const auto whole = [](double x) {
    if (x >= kTwoTo63) return kMax;
    return x <= -kTwoTo63 ? kMin : static_cast<int64_t>(x);
  };
  if (std::isnan(value)) return {1, 0};
  switch (comparison) {
    case Comparison::kEqual:
      if (value != std::floor(value) || std::abs(value) >= kTwoTo63) return {1, 0};
      return {whole(value), whole(value)};
    case Comparison::kLess:
      if (value >= kTwoTo63) return {kMin, kMax};
      return value <= -kTwoTo63 ? std::pair{int64_t{1}, int64_t{0}} : std::pair{kMin, whole(std::ceil(value)) - 1};
    case Comparison::kLessOrEqual: return {kMin, whole(std::floor(value))};
    case Comparison::kGreater:
      if (value >= kTwoTo63) return {1, 0};
      return {value < -kTwoTo63 ? kMin : whole(std::floor(value)) + 1, kMax};
    default:
      if (value >= kTwoTo63) return {1, 0};
      return {whole(std::ceil(value)), kMax};
  }
}

std::pair<int64_t, int64_t> whole_range(Comparison comparison, int64_t value) {
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min() + 1, kMax = std::numeric_limits<int64_t>::max();
  switch (comparison) {
    case Comparison::kEqual: return {value, value};
    case Comparison::kLess: return value <= kMin ? std::pair{int64_t{1}, int64_t{0}} : std::pair{kMin, value - 1};
    case Comparison::kLessOrEqual: return {kMin, value};
    case Comparison::kGreater: return value == kMax ? std::pair{int64_t{1}, int64_t{0}} : std::pair{value + 1, kMax};
    default: return {value, kMax};
  }
}

}  // namespace

bool is_exact(SqlType type, Comparison comparison, Value::Kind value) {
  if (comparison == Comparison::kIsNull || comparison == Comparison::kIsNotNull) return true;
  if (type == SqlType::kText) return value == Value::Kind::kText && comparison == Comparison::kEqual;
  return type == SqlType::kInteger && (value == Value::Kind::kInteger || value == Value::Kind::kReal);
}

Predicate::Predicate(const ColumnData& column, Comparison comparison, const Value& value, const Strings& strings)
    : column_(column) {
  const bool is_null = comparison == Comparison::kIsNull;
  if (is_null || comparison == Comparison::kIsNotNull) {
    kind_ = is_null ? Kind::kIsNull : Kind::kIsNotNull;
  } else if (value.kind == Value::Kind::kNull) {
    kind_ = Kind::kNever;
  } else if (sql_type(column.physical) == SqlType::kText) {
    if (value.kind == Value::Kind::kText) compare_text(comparison, value.text, strings);
  } else if (value.kind != Value::Kind::kText) {
    compare_number(comparison, value);
  }
}

void Predicate::compare_text(Comparison comparison, std::string_view text, const Strings& strings) {
  if (comparison != Comparison::kEqual) return;
  kind_ = Kind::kKeys;
  if (is_named(column_.physical)) {
    const auto found = std::find(column_.names.begin(), column_.names.end(), text);
    if (found == column_.names.end()) kind_ = Kind::kNever;
    low_ = high_ = found - column_.names.begin();
    return;
  }
  const StringId id = strings.find(text);
  if (id == StringId::kEmpty && !text.empty()) kind_ = Kind::kNever;
  low_ = high_ = static_cast<int64_t>(id);
}

void Predicate::compare_number(Comparison comparison, const Value& value) {
  const bool whole = value.kind == Value::Kind::kInteger;
  if (sql_type(column_.physical) == SqlType::kInteger) {
    std::tie(low_, high_) = whole ? whole_range(comparison, value.integer) : whole_range(comparison, value.real);
    kind_ = low_ > high_ ? Kind::kNever : Kind::kKeys;
    return;
  }
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double number = whole ? static_cast<double>(value.integer) : value.real;
  kind_ = Kind::kReals;
  low_real_ = comparison == Comparison::kLess || comparison == Comparison::kLessOrEqual ? -kInfinity : number;
  high_real_ = comparison == Comparison::kGreater || comparison == Comparison::kGreaterOrEqual ? kInfinity : number;
}

bool Predicate::fits(uint32_t row) const {
  switch (kind_) {
    case Kind::kAlways: return true;
    case Kind::kNever: return false;
    case Kind::kReals: {
      const uint32_t at = place_of(column_, row);
      if (at == kNone) return false;
      const double value = real_at(column_, at);
      return value >= low_real_ && value <= high_real_;
    }
    case Kind::kKeys: {
      const int64_t key = key_at(column_, row);
      return key >= low_ && key <= high_ && key != kNoValue;
    }
    case Kind::kIsNull:
    case Kind::kIsNotNull: break;
  }
  const bool missing = place_of(column_, row) == kNone ||
                       ((column_.physical == Physical::kRowNumber || column_.physical == Physical::kOptional) &&
                        key_at(column_, row) == kNoValue);
  return missing == (kind_ == Kind::kIsNull);
}

void Predicate::keep(std::vector<uint32_t>& rows) const {
  if (kind_ == Kind::kAlways) return;
  if (kind_ == Kind::kKeys) {
    std::vector<int64_t> keys(rows.size());
    gather_keys(column_, rows, keys.data());
    size_t kept = 0;
    for (size_t i = 0; i < rows.size(); ++i) {
      rows[kept] = rows[i];
      kept += keys[i] >= low_ && keys[i] <= high_ && keys[i] != kNoValue;
    }
    rows.resize(kept);
    return;
  }
  std::erase_if(rows, [&](uint32_t row) { return !fits(row); });
}

RowIndex::RowIndex(const ColumnData& column, uint32_t rows) {
  rows_.reserve(rows);
  for (uint32_t row = 0; row < rows; ++row) {
    if (key_at(column, row) != kNoValue) rows_.push_back(row);
  }
  std::stable_sort(rows_.begin(), rows_.end(),
                   [&](uint32_t a, uint32_t b) { return key_at(column, a) < key_at(column, b); });
  keys_.reserve(rows_.size());
  for (const uint32_t row : rows_) keys_.push_back(key_at(column, row));
}

std::span<const uint32_t> RowIndex::equal(int64_t key) const {
  const auto [first, last] = std::equal_range(keys_.begin(), keys_.end(), key);
  return std::span(rows_).subspan(static_cast<size_t>(first - keys_.begin()), static_cast<size_t>(last - first));
}

}  // namespace warplens::query
