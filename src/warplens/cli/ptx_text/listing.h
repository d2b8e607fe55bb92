// The text of one kernel of a PTX module, each line with the source line that it was compiled from.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "warplens/isa/ptx/module.h"

namespace warplens::cli {

struct PtxLine {
  uint32_t number = 0;  // in the text of the module
  std::string text, file;
  uint32_t line = 0;  // of `file`; 0: none is known
};

/// `text`: what the module was parsed from. Lines that are empty or only name places are left out. Empty where the
/// module has no such kernel.
std::vector<PtxLine> ptx_listing(const ptx::Module& module, std::string_view text, std::string_view kernel);

/// Kernels of the PTX that a program's file carries: the text that nvcc compiled its machine code from.
class CarriedPtx {
 public:
  /// Searches for `program` in PATH. Unreadable files, and files without PTX, have none.
  explicit CarriedPtx(const std::string& program);
  /// As a GPU of compute capability `cc` (90) would take it.
  std::vector<PtxLine> kernel(std::string_view mangled, int cc) const;

 private:
  std::string file_;
};

}  // namespace warplens::cli
