#include "warplens/isa/cubin/line_table.h"

#include <algorithm>

#include "warplens/base/library_header.h"

namespace warplens::cubin {
namespace {

/// Charges code of a library's header to the line of the program that it was inlined into, where there is one.
void charge_callers(const LineProgram& program, LineRow* row) {
  for (LineRow at = *row; at.caller != 0;) {
    at = program.calls[at.caller - 1];
    if (at.file < program.files.size() && is_library_header(program.files[at.file])) continue;
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
      if (row.file < program.files.size() && is_library_header(program.files[row.file])) charge_callers(program, &row);
      rows.push_back(row);
    }
  }
  for (auto& [function, rows] : table.functions) std::ranges::stable_sort(rows, {}, &LineRow::address);
  table.files = std::move(program.files);
  table.note = std::move(program.note);
  return table;
}

}  // namespace warplens::cubin
