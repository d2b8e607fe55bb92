// The result of a query: columns of one type each, in Arrow's layout.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "warplens/output/table.h"
#include "warplens/query/column.h"

namespace warplens::query {

/// Values of one result column. A column that mixes integers and real numbers is real; one with a text among numbers is
/// text. A column of NULLs alone is text.
class AnswerColumn {
 public:
  explicit AnswerColumn(std::string name) : name_(std::move(name)) {}

  void add(const Value& value);

  const std::string& name() const { return name_; }
  SqlType type() const { return type_; }
  size_t size() const { return size_; }
  size_t nulls() const { return nulls_; }
  Cell cell(size_t row) const;

  // Arrow's buffers: a bit a row that is set where there is a value; integers and real numbers; texts end to end.
  const std::vector<uint8_t>& valid() const { return valid_; }
  const std::vector<int64_t>& integers() const { return integers_; }
  const std::vector<double>& reals() const { return reals_; }
  const std::vector<int64_t>& text_ends() const { return text_ends_; }  // begins with 0
  const std::string& text_bytes() const { return text_bytes_; }

 private:
  bool is_valid(size_t row) const { return (valid_[row / 8] >> (row % 8) & 1) != 0; }
  void become(SqlType type);
  void add_text(std::string_view text);

  std::string name_;
  SqlType type_ = SqlType::kText;
  size_t size_ = 0, nulls_ = 0;
  std::vector<uint8_t> valid_;
  std::vector<int64_t> integers_;
  std::vector<double> reals_;
  std::vector<int64_t> text_ends_{0};
  std::string text_bytes_;
};

struct Answer {
  std::vector<AnswerColumn> columns;  // names are distinct
  size_t rows = 0;
  bool more = false;  // the limit of rows was reached, and there are more
};

/// Rows [begin, end) as a table for output; columns have units by their names.
Table table_of(const Answer& answer, size_t begin, size_t end);

}  // namespace warplens::query
