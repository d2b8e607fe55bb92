#include "warplens/isa/cubin/line_table.h"

#include <algorithm>

namespace warplens::cubin {

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
    rows.insert(rows.end(), sequence.rows.begin(), sequence.rows.end());
  }
  for (auto& [function, rows] : table.functions) std::ranges::stable_sort(rows, {}, &LineRow::address);
  table.files = std::move(program.files);
  table.note = std::move(program.note);
  return table;
}

}  // namespace warplens::cubin
