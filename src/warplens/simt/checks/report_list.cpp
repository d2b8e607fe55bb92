#include "warplens/simt/checks/report_list.h"

namespace warplens::simt {

size_t ReportList::like(std::string_view id, uint32_t row, uint32_t other) const {
  for (size_t k = 0; k < reports.size(); ++k) {
    if (reports[k].id != id || reports[k].other.has_value() != (other != kNoRow)) continue;
    const uint32_t first = reports[k].place.index, second = reports[k].other ? reports[k].other->index : kNoRow;
    if (other == kNoRow ? same_line_(row, first)
                        : (same_line_(row, first) && same_line_(other, second)) ||
                              (same_line_(row, second) && same_line_(other, first)))
      return k;
  }
  return reports.size();
}

}  // namespace warplens::simt
