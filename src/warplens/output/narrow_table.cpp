#include "warplens/output/narrow_table.h"

#include <algorithm>
#include <numeric>

#include "warplens/base/text.h"

namespace warplens {
namespace {

constexpr size_t kGap = 2;         // between two columns, as to_terminal() leaves it
constexpr size_t kOtherText = 18;  // of a text behind the first, which to_terminal() shortens

/// The least that column `c` needs: a heading is broken at its spaces, and texts are shortened.
size_t needed_width(const Table& table, size_t c, bool first_text) {
  size_t heading = 0, widest = 0;
  for (const std::string_view word : split(table.columns[c].title, ' '))
    heading = std::max(heading, display_width(word));
  for (const auto& row : table.rows)
    widest = std::max(widest, display_width(format_cell(row[c], table.columns[c].kind)));
  if (table.columns[c].kind == Kind::kText) widest = std::min(widest, first_text ? table.least_name : kOtherText);
  return kGap + std::max(heading, widest);
}

/// The columns that may go, the first to go first.
std::vector<size_t> may_go(const Table& table, const std::vector<bool>& constant) {
  std::vector<size_t> out;
  for (size_t c = 0; c < table.columns.size(); ++c)
    if (constant[c] || table.columns[c].gives_way > 0) out.push_back(c);
  std::ranges::stable_sort(out, {}, [&](size_t c) { return constant[c] ? 0 : table.columns[c].gives_way; });
  return out;
}

std::vector<bool> constant_columns(const Table& table) {
  std::vector<bool> out(table.columns.size());
  for (size_t c = 0; c < out.size(); ++c)
    out[c] = table.rows.size() > 1 &&
             std::ranges::all_of(table.rows, [&](const auto& row) { return row[c] == table.rows.front()[c]; });
  if (std::ranges::all_of(out, [](bool all) { return all; })) out.assign(out.size(), false);
  return out;
}

Table without(const Table& table, const std::vector<bool>& gone) {
  Table out{.columns = {}, .rows = std::vector<std::vector<Cell>>(table.rows.size()), .least_name = table.least_name};
  for (size_t c = 0; c < gone.size(); ++c) {
    if (gone[c]) continue;
    out.columns.push_back(table.columns[c]);
    for (size_t r = 0; r < table.rows.size(); ++r) out.rows[r].push_back(table.rows[r][c]);
  }
  return out;
}

}  // namespace

NarrowTable narrowed(const Table& table, size_t width) {
  std::vector<size_t> needs;
  bool first_text = true;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    needs.push_back(needed_width(table, c, first_text));
    first_text = first_text && table.columns[c].kind != Kind::kText;
  }
  size_t needed = std::accumulate(needs.begin(), needs.end(), size_t{0});
  const std::vector<bool> constant = constant_columns(table);
  std::vector<bool> gone(table.columns.size());
  std::vector<std::string> told, hidden;
  for (const size_t c : may_go(table, constant)) {
    if (needed <= width + kGap) break;
    needed -= needs[c];
    gone[c] = true;
    const TableColumn& column = table.columns[c];
    if (constant[c]) {
      const std::string value = format_cell(table.rows.front()[c], column.kind);
      told.push_back(fmt::format("{} {}", column.title, value.empty() ? "-" : value));
    } else {
      hidden.push_back(column.title);
    }
  }
  if (needed > width + kGap || (told.empty() && hidden.empty())) return {table, {}};
  std::vector<std::string> notes;
  if (!told.empty()) notes.push_back("in every row: " + join(told, ", "));
  if (!hidden.empty())
    notes.push_back(fmt::format("not shown at {} columns: {} (--full-names shows all)", width, join(hidden, ", ")));
  return {without(table, gone), join(notes, "; ") + '\n'};
}

}  // namespace warplens
