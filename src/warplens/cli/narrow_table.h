// Wide tables on narrow terminals: the least useful columns are left out, and a note says which.
#pragma once
#include <string>
#include <vector>

#include "warplens/output/table.h"

namespace warplens::cli {

struct NarrowTable {
  Table table;
  std::string note;  // "not shown at 80 columns: CPU total (--full-names shows all)"; empty where nothing gave way
};

/// `table` for a terminal of `width` columns (0: no limit). Columns are dropped in the order of `first_to_go`, by their
/// titles, until a row with its first text at `name_width` fits.
NarrowTable narrowed(Table table, size_t width, size_t name_width, const std::vector<std::string>& first_to_go);

}  // namespace warplens::cli
