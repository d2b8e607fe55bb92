// Tables of many columns on narrow terminals: the ones that say least give way, and the reader is told which.
#pragma once
#include <string>
#include <vector>

#include "warplens/output/table.h"

namespace warplens::cli {

struct NarrowTable {
  Table table;
  std::string note;  // "not shown at 80 columns: CPU total (--full-names shows all)"; empty where nothing gave way
};

/// `table` for a terminal of `width` columns (0: as wide as it gets). Columns give way in the order of `first_to_go`,
/// by their titles, while a row needs more than the terminal has with its first text at `name_width`.
NarrowTable narrowed(Table table, size_t width, size_t name_width, const std::vector<std::string>& first_to_go);

}  // namespace warplens::cli
