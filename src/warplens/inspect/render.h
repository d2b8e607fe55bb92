// A report as text, JSON and tables.
#pragma once
#include <string>

#include "warplens/inspect/report.h"
#include "warplens/output/table.h"

namespace warplens::inspect {

struct View {
  bool lines = false;  // source lines beside counts
  size_t width = 0;    // columns of the terminal; 0: never cut
};

std::string to_text(const Report& report, const View& view);
/// {"schema_version":1,"source":...,"images":[{"kind","target","kernels",...}],"kernels":[{"kernel","registers","classes","memory","lines","notes",...}]}
std::string to_json(const Report& report);
/// One row a kernel, level and class, for CSV and Markdown.
Table to_table(const Report& report);

}  // namespace warplens::inspect
