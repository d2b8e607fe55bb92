// Line tables of cubins: .debug_line (source) and .nv_debug_line_sass (PTX text).
#pragma once
#include <map>
#include <string>
#include <vector>

#include "warplens/base/line_program.h"
#include "warplens/isa/cubin/elf.h"

namespace warplens::cubin {

struct LineTable {
  std::vector<std::string> files;
  std::map<std::string, std::vector<LineRow>, std::less<>> functions;  // rows in order of address
  std::string note;  // why the table is not complete; empty when it is
};

/// The table in section `name`; empty if there is none. A damaged table ends at the damage, with a note.
LineTable read_line_table(const Elf& elf, std::string_view name);

}  // namespace warplens::cubin
