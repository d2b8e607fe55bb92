// Inspects a cubin: every instruction's text and source line of a kernel.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "warplens/isa/cubin/cubin.h"

namespace warplens::report {

struct CodeText {
  std::vector<cubin::SourceLine> lines;
  std::vector<std::string> texts;
  bool is_of_triton =
      false;  // Python's lines and a fixed number of threads (.reqntid): Numba's kernels lack the second
};

inline bool is_python(std::string_view file) { return file.ends_with(".py"); }

/// The kernels of one cubin, each read once.
class CodeTexts {
 public:
  const CodeText& of(std::string_view cubin_bytes, const std::string& kernel, size_t instructions);

 private:
  std::map<std::string, CodeText> kernels_;
};

}  // namespace warplens::report
