// Wide tables on narrow terminals: the least useful columns are left out, and a note says which.
#pragma once
#include <string>

#include "warplens/output/table.h"

namespace warplens {

struct NarrowTable {
  Table table;
  std::string note;  // "in every row: rank 0; not shown at 80 columns: CPU total (...)"; empty if nothing gave way
};

/// `table` for a terminal of `width` columns. Columns with one value in all rows go first, because the note shows that
/// value; then those that give way, in their order. None goes once a row fits, and none if that is not enough.
NarrowTable narrowed(const Table& table, size_t width);

}  // namespace warplens
