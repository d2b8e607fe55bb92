#include "warplens/isa/cubin/line_table.h"

#include <algorithm>

namespace warplens::cubin {
namespace {

/// Does the file belong to the CUDA toolkit, in a system's folder or a wheel's (`.../cuda-13.0/targets/x86_64-linux/
/// include/cuda_fp16.hpp`, `.../nvidia/cu13/include/...`)?
bool is_toolkit_file(std::string_view path) {
  const size_t include = path.find("/include/");
  if (include == std::string_view::npos) return false;
  const std::string_view above = path.substr(0, include);
  const std::string_view folder = above.substr(above.rfind('/') + 1);
  return folder.starts_with("cu") || above.find("/targets/") != std::string_view::npos;
}

/// Code of the toolkit's headers is charged to the line of the program that it was inlined into, where there is one.
void charge_callers(const LineProgram& program, LineRow* row) {
  for (LineRow at = *row; at.caller != 0;) {
    at = program.calls[at.caller - 1];
    if (at.file < program.files.size() && is_toolkit_file(program.files[at.file])) continue;
    row->file = at.file;
    row->line = at.line;
    row->caller = at.caller;
    return;
  }
}

}  // namespace

LineTable read_line_table(const Elf& elf, std::string_view name) {
  LineTable table;
  const ElfSection* section = elf.section(name);
  if (section == nullptr) return table;
  std::map<uint64_t, std::string_view> functions;  // by the place of their address in the section
  for (const ElfRelocation& each : elf.relocations(name)) {
    if (each.symbol < elf.symbols.size()) functions[each.offset] = elf.symbols[each.symbol].name;
  }
  LineProgram program = read_line_program(section->bytes);
  for (const LineSequence& sequence : program.sequences) {
    const auto function = functions.find(sequence.address_place);
    if (function == functions.end()) continue;
    std::vector<LineRow>& rows = table.functions[std::string(function->second)];
    for (LineRow row : sequence.rows) {
      if (row.file < program.files.size() && is_toolkit_file(program.files[row.file])) charge_callers(program, &row);
      rows.push_back(row);
    }
  }
  for (auto& [function, rows] : table.functions) std::ranges::stable_sort(rows, {}, &LineRow::address);
  table.files = std::move(program.files);
  table.note = std::move(program.note);
  return table;
}

}  // namespace warplens::cubin
