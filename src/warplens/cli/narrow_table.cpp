#include "warplens/cli/narrow_table.h"

#include <algorithm>

#include "warplens/base/text.h"

namespace warplens::cli {
namespace {

constexpr size_t kGap = 2;         // between two columns, as to_terminal() leaves it
constexpr size_t kOtherText = 18;  // of a text behind the first, which to_terminal() shortens

/// What a row needs, the first column at `name_width` at most.
size_t needed_width(const Table& table, size_t name_width) {
  size_t out = 0;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    size_t widest = 0;  // a heading is broken at its spaces
    for (const std::string_view word : split(table.columns[c].title, ' ')) widest = std::max(widest, word.size());
    for (const auto& row : table.rows)
      widest = std::max(widest, display_width(format_cell(row[c], table.columns[c].kind)));
    const size_t most = c == 0 ? name_width : table.columns[c].kind == Kind::kText ? kOtherText : widest;
    out += kGap + std::min(widest, most);
  }
  return out > kGap ? out - kGap : 0;
}

void erase_column(Table& table, size_t c) {
  const auto at = static_cast<ptrdiff_t>(c);
  table.columns.erase(table.columns.begin() + at);
  for (auto& row : table.rows) row.erase(row.begin() + at);
}

}  // namespace

NarrowTable narrowed(Table table, size_t width, size_t name_width, const std::vector<std::string>& first_to_go) {
  NarrowTable out{std::move(table), {}};
  std::vector<std::string> gone;
  for (const std::string& title : first_to_go) {
    if (width == 0 || needed_width(out.table, name_width) <= width) break;
    const auto found = std::ranges::find(out.table.columns, title, &TableColumn::title);
    if (found == out.table.columns.end()) continue;
    erase_column(out.table, static_cast<size_t>(found - out.table.columns.begin()));
    gone.push_back(title);
  }
  if (!gone.empty())
    out.note = fmt::format("not shown at {} columns: {} (--full-names shows all)\n", width, join(gone, ", "));
  return out;
}

}  // namespace warplens::cli
