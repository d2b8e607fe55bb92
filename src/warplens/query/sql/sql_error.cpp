#include "warplens/query/sql/sql_error.h"

#include <algorithm>

#include "warplens/base/text.h"

namespace warplens::query {
namespace {

constexpr size_t kShownBytes = 100;  // of a long line, around the place

std::string after(const std::string& message, std::string_view prefix) {
  return message.starts_with(prefix) ? message.substr(prefix.size()) : std::string();
}

std::string column_hint(const std::string& wanted, const Catalog& catalog) {
  const std::string name = wanted.substr(wanted.find('.') == std::string::npos ? 0 : wanted.rfind('.') + 1);
  std::vector<std::string> names, tables;
  for (const QueryTable& table : catalog.tables()) {
    for (const ColumnSource& column : table.columns) {
      names.push_back(column.name);
      if (column.name == name) tables.push_back(table.name);
    }
  }
  if (!tables.empty()) return fmt::format("; {} is a column of {}", name, join(tables, ", "));
  const std::string near = nearest(name, names);
  return near.empty() ? "; --schema lists tables and columns" : fmt::format("; did you mean {}?", near);
}

std::string table_hint(const std::string& wanted, const Catalog& catalog) {
  std::vector<std::string> names;
  for (const QueryTable& table : catalog.tables()) names.push_back(table.name);
  const std::string near = nearest(wanted, names);
  return near.empty() ? fmt::format("; there are {}", join(names, ", ")) : fmt::format("; did you mean {}?", near);
}

}  // namespace

std::string marked_place(std::string_view sql, size_t offset) {
  offset = std::min(offset, sql.size());
  const size_t before = offset == 0 ? std::string_view::npos : sql.rfind('\n', offset - 1);
  size_t begin = before == std::string_view::npos ? 0 : before + 1;
  size_t end = std::min(sql.find('\n', offset), sql.size());
  if (offset - begin > kShownBytes / 2) begin = offset - kShownBytes / 2;
  end = std::min(end, begin + kShownBytes);
  const auto is_inside = [&](size_t at) { return at < sql.size() && (static_cast<uint8_t>(sql[at]) & 0xc0) == 0x80; };
  while (is_inside(begin)) ++begin;
  while (is_inside(end)) --end;
  const std::string line = replace_all(std::string(sql.substr(begin, end - begin)), "\t", " ");
  return fmt::format("\n  {}\n  {}^", line,
                     std::string(display_width(sql.substr(begin, std::max(offset, begin) - begin)), ' '));
}

Status sql_error(std::string_view sql, const std::string& message, int offset, const Catalog& catalog) {
  std::string text = message, hint;
  if (const std::string column = after(message, "no such column: "); !column.empty())
    hint = column_hint(column, catalog);
  if (const std::string table = after(message, "no such table: "); !table.empty()) hint = table_hint(table, catalog);
  if (offset < 0 && !hint.empty()) {  // SQLite says no place for tables
    const size_t found = sql.find(message.substr(message.rfind(' ') + 1));
    if (found != std::string_view::npos) offset = static_cast<int>(found);
  }
  if (offset >= 0) hint += marked_place(sql, static_cast<size_t>(offset));
  return invalid_input(text + hint);
}

}  // namespace warplens::query
