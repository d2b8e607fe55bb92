#include "warplens/isa/ptx/inline_lines.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace warplens::ptx {
namespace {

constexpr std::string_view kBegin = "// begin inline asm\n", kEnd = "// end inline asm";

/// Whether a line is a .loc directive and nothing else.
bool is_location(std::string_view line) {
  const size_t first = line.find_first_not_of(" \t");
  if (first == std::string_view::npos || !line.substr(first).starts_with(".loc")) return false;
  return line.size() > first + 4 && (line[first + 4] == ' ' || line[first + 4] == '\t');
}

}  // namespace

std::string with_true_lines(std::string text) {
  const auto at = [&](size_t i) { return text.begin() + static_cast<std::ptrdiff_t>(i); };
  for (size_t begin = text.find(kBegin); begin != std::string::npos; begin = text.find(kBegin, begin)) {
    const size_t end = std::min(text.find(kEnd, begin), text.size());
    bool first = true;
    for (size_t line = begin; line < end;) {
      const size_t next = std::min(text.find('\n', line), end);
      if (is_location(std::string_view(text).substr(line, next - line)) && !std::exchange(first, false))
        std::fill(at(line), at(next), ' ');
      line = next + 1;
    }
    begin = end;
  }
  return text;
}

}  // namespace warplens::ptx
