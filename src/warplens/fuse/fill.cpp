#include "warplens/fuse/fill.h"

#include "warplens/base/text.h"

namespace warplens::fuse {

std::string fill(std::string_view text, const Holes& holes) {
  std::string out;
  for (const std::string_view line : split(text.substr(0, text.size() - text.ends_with('\n')), '\n')) {
    const std::string_view content = trim(line), indent = line.substr(0, line.find_first_not_of(' '));
    std::string filled(line);
    bool alone = false;
    for (const auto& [name, with] : holes) {
      const std::string hole = fmt::format("${{{}}}", name);
      alone = alone || content == hole;
      if (content != hole) {
        filled = replace_all(std::move(filled), hole, with);
        continue;
      }
      for (const std::string_view inner : split(with, '\n')) {
        if (!inner.empty()) out += fmt::format("{}{}\n", indent, inner);
      }
    }
    if (!alone) out += filled + '\n';
  }
  return out;
}

}  // namespace warplens::fuse
