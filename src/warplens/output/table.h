// Tables: declared once, written as a terminal table, JSON rows, CSV or Markdown.
#pragma once
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "warplens/base/json.h"

namespace warplens {

enum class Format { kTable, kJson, kCsv, kMarkdown };

/// The kind of a column's values: decides alignment, and the form of numbers in text.
enum class Kind { kText, kCount, kTimeNs, kBytes, kShare, kNumber };

struct TableColumn {
  std::string name;   // key in JSON and CSV, with its unit: "self_cpu_time_total_ns"
  std::string title;  // heading in terminal tables and Markdown
  Kind kind = Kind::kText;
  int gives_way = 0;  // on a narrow terminal, columns with 1 are left out first, then 2, ...; 0: stays
};

/// Empty (null), text, whole number, real number, or flag.
using Cell = std::variant<std::monostate, std::string, int64_t, double, bool>;

struct Table {
  std::vector<TableColumn> columns;
  std::vector<std::vector<Cell>> rows;
  size_t least_name = 16;  // characters of the first text, before other columns give way to it
};

/// As text: numbers with units. A line fits `width` columns (0: no limit). Headings are broken and texts shortened in
/// their middle, then columns give way, and a last line names them. If that is not enough, each row takes lines of its
/// own, with as many rows side by side as fit.
std::string to_terminal(const Table& table, size_t width);
std::string to_markdown(const Table& table);
/// RFC 4180, raw numbers. Texts are printable(); an apostrophe precedes text that a spreadsheet would read as a
/// formula.
std::string to_csv(const Table& table);
/// A cell as a value, raw, at the writer's place.
void write_cell(json::Writer& writer, const Cell& cell);
/// An array of objects, one a row, raw numbers, at the writer's place.
void write_rows(json::Writer& writer, const Table& table);

/// `table` in `format`; JSON is {"schema_version":1,"rows":[...]}.
std::string render(const Table& table, Format format, size_t width);

/// One cell as a person sees it, without padding.
std::string format_cell(const Cell& cell, Kind kind);

}  // namespace warplens
