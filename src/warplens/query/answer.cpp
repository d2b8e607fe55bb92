#include "warplens/query/answer.h"

#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/query/catalog.h"

namespace warplens::query {
namespace {

Kind kind_of(const AnswerColumn& column) {
  if (column.type() == SqlType::kText) return Kind::kText;
  const std::string_view unit = unit_of(column.name());
  if (unit == "ns") return Kind::kTimeNs;
  return unit == "bytes" ? Kind::kBytes : Kind::kNumber;
}

/// True if the values are times on the recording's clock, of which three digits would show nothing.
bool is_on_the_clock(const AnswerColumn& column, size_t rows) {
  constexpr int64_t kDayNs = 86'400'000'000'000;  // a duration is shorter
  constexpr size_t kMostRows = 1000;              // answers are written in parts, which must agree
  for (size_t row = 0; row < std::min(rows, kMostRows); ++row) {
    const Cell cell = column.cell(row);
    const auto* const ns = std::get_if<int64_t>(&cell);
    if (ns == nullptr || *ns < kDayNs) return false;
  }
  return rows > 0;
}

}  // namespace

void AnswerColumn::add_text(std::string_view text) {
  text_bytes_ += text;
  text_ends_.push_back(static_cast<int64_t>(text_bytes_.size()));
}

/// What is there already is kept as values of the new type.
void AnswerColumn::become(SqlType type) {
  if (type == type_) return;
  const bool had_values = nulls_ < size_;
  if (type == SqlType::kReal) {
    reals_.assign(integers_.begin(), integers_.end());
    reals_.resize(size_);
    integers_.clear();
  } else if (type == SqlType::kInteger) {
    integers_.resize(size_);
  } else {
    text_ends_.assign(1, 0);
    text_bytes_.clear();
    for (size_t row = 0; row < size_; ++row) {
      const Cell value = had_values ? cell(row) : Cell();
      if (const auto* number = std::get_if<int64_t>(&value)) add_text(fmt::format("{}", *number));
      else if (const auto* real = std::get_if<double>(&value)) add_text(fmt::format("{}", *real));
      else add_text("");
    }
    integers_.clear();
    reals_.clear();
  }
  if (type != SqlType::kText) text_ends_.assign(1, 0);
  type_ = type;
}

void AnswerColumn::add(const Value& value) {
  if (value.kind != Value::Kind::kNull) {
    const bool first = nulls_ == size_;
    const SqlType type = value.kind == Value::Kind::kText   ? SqlType::kText
                         : value.kind == Value::Kind::kReal ? SqlType::kReal
                                                            : SqlType::kInteger;
    if (first || type_ != SqlType::kText) {
      const bool widens = type_ == SqlType::kReal && type == SqlType::kInteger;
      if (first || !widens) become(type);
    }
  }
  if (size_ % 8 == 0) valid_.push_back(0);
  if (value.kind == Value::Kind::kNull) ++nulls_;
  else valid_.back() = static_cast<uint8_t>(valid_.back() | 1U << size_ % 8);
  const bool is_real = value.kind == Value::Kind::kReal;
  if (type_ == SqlType::kInteger) integers_.push_back(value.integer);
  else if (type_ == SqlType::kReal) reals_.push_back(is_real ? value.real : static_cast<double>(value.integer));
  else if (value.kind == Value::Kind::kInteger) add_text(fmt::format("{}", value.integer));
  else if (is_real) add_text(fmt::format("{}", value.real));
  else add_text(value.text);
  ++size_;
}

Cell AnswerColumn::cell(size_t row) const {
  if (!is_valid(row)) return {};
  if (type_ == SqlType::kInteger) return integers_[row];
  if (type_ == SqlType::kReal) return reals_[row];
  return text_bytes_.substr(static_cast<size_t>(text_ends_[row]),
                            static_cast<size_t>(text_ends_[row + 1] - text_ends_[row]));
}

Table table_of(const Answer& answer, size_t begin, size_t end) {
  Table table;
  for (const AnswerColumn& column : answer.columns) {
    const std::string name = column.name();
    const bool is_clock = kind_of(column) == Kind::kTimeNs && is_on_the_clock(column, answer.rows);
    const bool is_time =
        kind_of(column) == Kind::kTimeNs && !is_clock && name.ends_with("_ns");  // shown with its own unit
    table.columns.push_back(
        {name, is_time ? name.substr(0, name.size() - 3) : name, is_clock ? Kind::kCount : kind_of(column)});
  }
  for (size_t row = begin; row < std::min(end, answer.rows); ++row) {
    auto& cells = table.rows.emplace_back();
    for (const AnswerColumn& column : answer.columns) cells.push_back(column.cell(row));
  }
  return table;
}

}  // namespace warplens::query
