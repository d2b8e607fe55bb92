// torch's printed operator table.
#pragma once
#include <string>

#include "warplens/program/analysis/operators/torch_table.h"

namespace warplens::analysis {

struct TorchPrintOptions {
  bool with_shapes = false;                                      // grouped by shape
  size_t limit = 100;                                            // rows
  size_t name_width = 55, shapes_width = 80, source_width = 75;  // torch's defaults of max_*_column_width
};

/// The text of torch's EventList.table() for these rows.
std::string print_torch_table(const TorchTable& table, const TorchPrintOptions& options);

}  // namespace warplens::analysis
