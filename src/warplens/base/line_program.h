// Line programs of DWARF 2 to 4, as GPU compilers write them. They give the file and line of each instruction, and the
// line that it was inlined into.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warplens {

struct LineRow {
  uint32_t address = 0;
  uint32_t file = 0;  // index of LineProgram::files
  uint32_t line = 0;
  uint32_t caller = 0;  // 1 + index of LineProgram::calls, where the code was inlined there; 0: it was not
};

/// Rows of one stretch of code.
struct LineSequence {
  uint64_t address_place = 0;  // in the section, of its start: relocations name the function by it
  std::vector<LineRow> rows;
};

struct LineProgram {
  std::vector<std::string> files;
  std::vector<LineRow> calls;  // lines into which something was inlined
  std::vector<LineSequence> sequences;
  std::string note;  // why it is not complete; empty when it is
};

/// The line program of a section. A damaged one ends where it breaks, with a note.
LineProgram read_line_program(std::string_view section);

/// The row that covers `address` of rows in order, or nullptr.
const LineRow* row_at(const std::vector<LineRow>& rows, uint32_t address);

}  // namespace warplens
