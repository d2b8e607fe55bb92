#include "warplens/output/table.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "warplens/base/printable.h"
#include "warplens/base/schema.h"
#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/output/narrow_table.h"
#include "warplens/output/terminal.h"

namespace warplens {
namespace {

constexpr size_t kWidestCell = 120;                     // for people: longer names would fill pages
constexpr size_t kNarrowText = 16, kNarrowestText = 8;  // text columns shrink to the first, then to the second

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

using Cells = std::vector<std::vector<std::string>>;

size_t line_width(const std::vector<size_t>& widths) {
  return std::accumulate(widths.begin(), widths.end(), size_t{0}) + 2 * (widths.size() - !widths.empty());
}

size_t longest_word(const std::string& text) {
  size_t longest = 0;
  for (const std::string_view word : split(text, ' ')) longest = std::max(longest, display_width(word));
  return longest;
}

/// Narrows text columns, the widest first, down to `least` each, until a line fits.
void narrow_texts(const Table& table, size_t line, size_t least, std::vector<size_t>& widths) {
  while (line_width(widths) > line) {
    size_t widest = widths.size();
    for (size_t c = 0; c < widths.size(); ++c) {
      if (table.columns[c].kind == Kind::kText && widths[c] > least &&
          (widest == widths.size() || widths[c] > widths[widest]))
        widest = c;
    }
    if (widest == widths.size()) return;
    --widths[widest];
  }
}

/// Width of each column: as wide as its widest cell and its heading. Where a line would not fit, headings are broken at
/// spaces, then text is shortened; empty when even that is too wide.
std::vector<size_t> column_widths(const Table& table, const Cells& cells, size_t line) {
  std::vector<size_t> widths, broken;
  for (const TableColumn& column : table.columns) {
    widths.push_back(display_width(column.title));
    broken.push_back(longest_word(column.title));
  }
  for (const auto& row : cells) {
    for (size_t c = 0; c < row.size(); ++c) {
      widths[c] = std::max(widths[c], display_width(row[c]));
      broken[c] = std::max(broken[c], display_width(row[c]));
    }
  }
  if (line == 0 || line_width(widths) <= line) return widths;
  narrow_texts(table, line, std::max(kNarrowText, line / 3), widths);  // a little is cheaper than two lines of headings
  if (line_width(widths) <= line) return widths;
  widths = std::move(broken);
  narrow_texts(table, line, kNarrowText, widths);
  narrow_texts(table, line, kNarrowestText, widths);
  return line_width(widths) <= line ? widths : std::vector<size_t>();
}

/// The lines of a heading within `width`, the last ones of the words as they come.
std::vector<std::string> heading_lines(const std::string& title, size_t width) {
  std::vector<std::string> out;
  for (const std::string_view word : split(title, ' ')) {
    if (!out.empty() && display_width(out.back()) + 1 + display_width(word) <= width)
      out.back().append(" ").append(word);
    else out.emplace_back(word);
  }
  return out;
}

/// Each row as lines of its own, "heading  value", with as many rows side by side as fit: for terminals that are
/// narrower than the table.
std::string as_records(const Table& table, const Cells& cells, size_t line) {
  size_t titles = 0;
  for (const TableColumn& column : table.columns) titles = std::max(titles, display_width(column.title));
  titles = std::min(titles, line / 2);
  const size_t room = line > titles + 2 ? line - titles : 3;
  std::string out;
  for (size_t first = 0; first < cells.size();) {
    std::vector<size_t> widths;  // of the rows of this block
    for (size_t used = 0; first + widths.size() < cells.size();) {
      size_t width = 1;
      for (const std::string& cell : cells[first + widths.size()]) width = std::max(width, display_width(cell));
      if (!widths.empty() && used + 2 + width > room) break;
      widths.push_back(std::min(width, room - 2));
      used += 2 + width;
    }
    for (size_t c = 0; c < table.columns.size(); ++c) {
      out += padded(ellipsis(table.columns[c].title, titles), titles, true);
      for (size_t i = 0; i < widths.size(); ++i)
        out += "  " + padded(ellipsis(cells[first + i][c], widths[i]), widths.size() == 1 ? 0 : widths[i], false);
      out += '\n';
    }
    first += widths.size();
    if (first < cells.size()) out += '\n';
  }
  return out;
}

/// Lines of our own, such as those of a stack, stand beside each other; nothing in a name acts.
std::string one_line(const std::string& text) { return printable(replace_all(text, "\n", " ")); }

Cells shown_cells(const Table& table) {
  Cells cells;
  for (const auto& row : table.rows) {
    cells.emplace_back();
    for (size_t c = 0; c < row.size(); ++c) {
      std::string text = one_line(format_cell(row[c], table.columns[c].kind));
      cells.back().push_back(whole_names() ? std::move(text) : ellipsis(text, kWidestCell));
    }
  }
  return cells;
}

std::string as_lines(const Table& table, const Cells& cells, const std::vector<size_t>& widths) {
  std::string out;
  const auto add_line = [&](const std::vector<std::string>& line) {
    std::string text;
    for (size_t c = 0; c < line.size(); ++c)
      text += padded(ellipsis(line[c], widths[c]), widths[c], table.columns[c].kind == Kind::kText) + "  ";
    out += text.substr(0, text.find_last_not_of(' ') + 1) + '\n';
  };
  std::vector<std::vector<std::string>> titles;
  std::vector<std::string> rules;
  size_t most = 1;
  for (size_t c = 0; c < widths.size(); ++c) {
    titles.push_back(heading_lines(table.columns[c].title, widths[c]));
    most = std::max(most, titles.back().size());
    rules.emplace_back();
    for (size_t i = 0; i < widths[c]; ++i) rules.back() += "─";
  }
  for (size_t line = 0; line < most; ++line) {
    std::vector<std::string> heads;  // the last line of each stands on the rule
    for (const auto& title : titles)
      heads.push_back(line + title.size() >= most ? title[line + title.size() - most] : "");
    add_line(heads);
  }
  add_line(rules);
  for (const auto& line : cells) add_line(line);
  return out;
}

/// Build services look for these anywhere in a line.
std::string unlike_commands(std::string text) {
  return replace_all(replace_all(std::move(text), "##[", "# #["), "##vso[", "# #vso[");
}

/// As Markdown shows it as it is: tags and images would load what they name from anywhere.
std::string markdown(std::string text) {
  for (const auto& [sign, written] :
       {std::pair{"&", "&amp;"}, {"<", "&lt;"}, {"|", "\\|"}, {"![", "!\\["}, {"](", "]\\("}})
    text = replace_all(std::move(text), sign, written);
  return unlike_commands(std::move(text));
}

std::string csv_field(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) {
    // A spreadsheet runs what it takes for a formula; behind an apostrophe it is text.
    const std::string shown = (begins_formula(*text) ? "'" : "") + unlike_commands(printable(*text));
    if (shown.find_first_of(",\"") == std::string::npos) return shown;
    return '"' + replace_all(shown, "\"", "\"\"") + '"';
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
      if (std::get_if<int64_t>(&cell)) return fmt::format("{}", std::get<int64_t>(cell));
      // Four digits, but no exponent where the whole number can be read.
      return std::abs(*number) >= 1e3 && std::abs(*number) < 1e9 ? fmt::format("{:.0f}", *number)
                                                                 : fmt::format("{:.4g}", *number);
    case Kind::kCount:
    case Kind::kText: break;
  }
  return std::get_if<int64_t>(&cell) ? fmt::format("{}", std::get<int64_t>(cell)) : fmt::format("{}", *number);
}

std::string to_terminal(const Table& table, size_t width) {
  const NarrowTable narrow = width == 0 ? NarrowTable{table, {}} : narrowed(table, width);
  const Cells cells = shown_cells(narrow.table);
  const std::vector<size_t> widths = column_widths(narrow.table, cells, width);
  if (widths.empty() && !table.columns.empty()) return as_records(table, shown_cells(table), width);
  return as_lines(narrow.table, cells, widths) + narrow.note;
}

std::string to_markdown(const Table& table) {
  std::string out = "|", rule = "|";
  for (const TableColumn& column : table.columns) {
    out += fmt::format(" {} |", markdown(one_line(column.title)));
    rule += column.kind == Kind::kText ? " --- |" : " ---: |";
  }
  out += '\n' + rule + '\n';
  for (const auto& row : table.rows) {
    out += '|';
    for (size_t c = 0; c < row.size(); ++c) {
      out += fmt::format(" {} |", markdown(one_line(format_cell(row[c], table.columns[c].kind))));
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
      writer.begin_object().member("schema_version", kSchemaVersion).key("rows");
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
