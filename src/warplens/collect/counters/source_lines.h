// The lines of a program's own source that its machine code is of.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "warplens/base/line_program.h"
#include "warplens/collect/process/elf.h"

namespace warplens::cupti {

struct SourceLine {
  std::string file;  // empty where the code has no line information
  uint32_t line = 0;
};

/// The lines of a cubin, which must outlive it.
class SourceLines {
 public:
  explicit SourceLines(const std::vector<char>& cubin);
  /// The line of the instruction at `offset` of the function. For code inlined from the toolkit's headers, such as
  /// intrinsics, returns the line of the program's call.
  SourceLine at(std::string_view function, uint64_t offset) const;
  /// The function's machine code.
  std::string_view code(const std::string& function) const { return elf_.section(".text." + function); }

 private:
  const std::string& file_of(const LineRow& row) const;

  Elf elf_;
  LineProgram program_;
  std::map<std::string, std::vector<LineRow>, std::less<>> functions_;  // rows in order of address
};

}  // namespace warplens::cupti
