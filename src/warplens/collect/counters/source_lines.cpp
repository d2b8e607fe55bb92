#include "warplens/collect/counters/source_lines.h"

#include <algorithm>

#include "warplens/base/library_header.h"

namespace warplens::cupti {
namespace {

constexpr std::string_view kLines = ".debug_line";

}  // namespace

SourceLines::SourceLines(const std::vector<char>& cubin)
    : elf_(cubin.data(), cubin.size()), program_(read_line_program(elf_.section(kLines))) {
  std::map<uint64_t, std::string_view> names;  // by the place of their address in the section
  elf_.each_relocation(kLines, [&](uint64_t place, std::string_view name) { names[place] = name; });
  for (const LineSequence& sequence : program_.sequences) {
    const auto name = names.find(sequence.address_place);
    if (name == names.end()) continue;
    std::vector<LineRow>& rows = functions_[std::string(name->second)];
    rows.insert(rows.end(), sequence.rows.begin(), sequence.rows.end());
  }
  for (auto& [name, rows] : functions_)
    std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.address < b.address; });
}

const std::string& SourceLines::file_of(const LineRow& row) const {
  static const std::string none;
  return row.file < program_.files.size() ? program_.files[row.file] : none;
}

SourceLine SourceLines::at(std::string_view function, uint64_t offset) const {
  const auto rows = functions_.find(function);
  if (rows == functions_.end()) return {};
  const LineRow* row = row_at(rows->second, static_cast<uint32_t>(offset));
  if (row == nullptr) return {};
  while (row->caller > 0 && is_library_header(file_of(*row))) row = &program_.calls[row->caller - 1];
  return {file_of(*row), row->line};
}

}  // namespace warplens::cupti
