// The PTX that a program's file carries: the text that nvcc compiled its machine code from.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "warplens/report/ptx_listing.h"

namespace warplens::cli {

class CarriedPtx {
 public:
  /// Searches for `program` in PATH. Unreadable files, and files without PTX, have none.
  explicit CarriedPtx(const std::string& program);
  /// As a GPU of compute capability `cc` (90) would take it.
  std::vector<report::PtxLine> kernel(std::string_view mangled, int cc) const;

 private:
  std::string file_;
};

}  // namespace warplens::cli
