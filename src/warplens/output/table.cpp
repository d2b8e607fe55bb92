#include "warplens/output/table.h"

#include <algorithm>
#include <numeric>

#include "warplens/base/text.h"
#include "warplens/base/units.h"

namespace warplens {
namespace {

constexpr size_t kNarrowestText = 16;

std::optional<double> as_number(const Cell& cell) {
  if (const auto* i = std::get_if<int64_t>(&cell)) return static_cast<double>(*i);
  if (const auto* d = std::get_if<double>(&cell)) return *d;
  return std::nullopt;
}

std::string padded(const std::string& text, size_t width, bool left) {
  const size_t have = display_width(text);
  const std::string space(width > have ? width - have : 0, ' ');
  return left ? text + space : space + text;
}

/// Width of each column: as wide as its widest cell, text columns narrowed from the widest until the line fits.
std::vector<size_t> column_widths(const Table& table, const std::vector<std::vector<std::string>>& cells, size_t line) {
  std::vector<size_t> widths;
  for (const TableColumn& column : table.columns) widths.push_back(display_width(column.title));
  for (const auto& row : cells)
    for (size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], display_width(row[c]));
  size_t total = std::accumulate(widths.begin(), widths.end(), size_t{0}) + 2 * (widths.size() - !widths.empty());
  while (line != 0 && total > line) {
    size_t widest = widths.size();
    for (size_t c = 0; c < widths.size(); ++c)
      if (table.columns[c].kind == Kind::kText && widths[c] > kNarrowestText &&
          (widest == widths.size() || widths[c] > widths[widest]))
        widest = c;
    if (widest == widths.size()) break;
    --widths[widest], --total;
  }
  return widths;
}

std::string csv_field(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) {
    if (text->find_first_of(",\"\r\n") == std::string::npos) return *text;
    return '"' + replace_all(*text, "\"", "\"\"") + '"';
  }
  if (const auto* i = std::get_if<int64_t>(&cell)) return fmt::format("{}", *i);
  if (const auto* d = std::get_if<double>(&cell)) return fmt::format("{}", *d);
  if (const auto* b = std::get_if<bool>(&cell)) return *b ? "true" : "false";
  return {};
}

}  // namespace

void write_cell(json::Writer& writer, const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) writer.value(*text);
  else if (const auto* i = std::get_if<int64_t>(&cell)) writer.value(*i);
  else if (const auto* d = std::get_if<double>(&cell)) writer.value(*d);
  else if (const auto* b = std::get_if<bool>(&cell)) writer.value(*b);
  else writer.null();
}

std::string format_cell(const Cell& cell, Kind kind) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* flag = std::get_if<bool>(&cell)) return *flag ? "yes" : "no";
  const std::optional<double> number = as_number(cell);
  if (!number) return "-";
  switch (kind) {
    case Kind::kTimeNs: return format_ns(*number);
    case Kind::kBytes: return format_bytes(*number);
    case Kind::kShare: return format_share(*number);
    case Kind::kNumber:
      return std::get_if<int64_t>(&cell) ? fmt::format("{}", std::get<int64_t>(cell)) : fmt::format("{:.4g}", *number);
    case Kind::kCount: case Kind::kText: break;
  }
  return std::get_if<int64_t>(&cell) ? fmt::format("{}", std::get<int64_t>(cell)) : fmt::format("{}", *number);
}

std::string to_terminal(const Table& table, size_t width) {
  std::vector<std::vector<std::string>> cells;
  for (const auto& row : table.rows) {
    cells.emplace_back();
    for (size_t c = 0; c < row.size(); ++c)
      cells.back().push_back(replace_all(format_cell(row[c], table.columns[c].kind), "\n", " "));
  }
  const std::vector<size_t> widths = column_widths(table, cells, width);
  std::string out;
  const auto add_line = [&](const std::vector<std::string>& line) {
    std::string text;
    for (size_t c = 0; c < line.size(); ++c)
      text += padded(ellipsis(line[c], widths[c]), widths[c], table.columns[c].kind == Kind::kText) + "  ";
    out += text.substr(0, text.find_last_not_of(' ') + 1) + '\n';
  };
  std::vector<std::string> titles, rules;
  for (size_t c = 0; c < widths.size(); ++c) {
    titles.push_back(table.columns[c].title);
    rules.emplace_back();
    for (size_t i = 0; i < widths[c]; ++i) rules.back() += "─";
  }
  add_line(titles);
  add_line(rules);
  for (const auto& line : cells) add_line(line);
  return out;
}

std::string to_markdown(const Table& table) {
  std::string out = "|", rule = "|";
  for (const TableColumn& column : table.columns) {
    out += fmt::format(" {} |", column.title);
    rule += column.kind == Kind::kText ? " --- |" : " ---: |";
  }
  out += '\n' + rule + '\n';
  for (const auto& row : table.rows) {
    out += '|';
    for (size_t c = 0; c < row.size(); ++c) {
      const std::string text = replace_all(format_cell(row[c], table.columns[c].kind), "\n", " ");
      out += fmt::format(" {} |", replace_all(text, "|", "\\|"));
    }
    out += '\n';
  }
  return out;
}

std::string to_csv(const Table& table) {
  std::string out;
  for (size_t c = 0; c < table.columns.size(); ++c) out += (c ? "," : "") + csv_field(table.columns[c].name);
  out += '\n';
  for (const auto& row : table.rows) {
    for (size_t c = 0; c < row.size(); ++c) out += (c ? "," : "") + csv_field(row[c]);
    out += '\n';
  }
  return out;
}

void write_rows(json::Writer& writer, const Table& table) {
  writer.begin_array();
  for (const auto& row : table.rows) {
    writer.begin_object();
    for (size_t c = 0; c < row.size(); ++c) write_cell(writer.key(table.columns[c].name), row[c]);
    writer.end_object();
  }
  writer.end_array();
}

std::string render(const Table& table, Format format, size_t width) {
  switch (format) {
    case Format::kJson: {
      json::Writer writer;
      writer.begin_object().member("schema_version", 1).key("rows");
      write_rows(writer, table);
      return writer.end_object().take() + '\n';
    }
    case Format::kCsv: return to_csv(table);
    case Format::kMarkdown: return to_markdown(table);
    case Format::kTable: break;
  }
  return to_terminal(table, width);
}

}  // namespace warplens
