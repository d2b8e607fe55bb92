#include "warplens/output/wrap.h"

#include "warplens/base/text.h"

namespace warplens {

std::string wrap(std::string_view text, size_t width, std::string_view indent) {
  std::string out, line(indent);
  for (const std::string_view word : split(text, ' ')) {
    if (line.size() > indent.size() && display_width(line) + 1 + display_width(word) > width) {
      out += line + "\n";
      line = indent;
    }
    if (line.size() > indent.size()) line += ' ';
    line += word;
  }
  return out + line + "\n";
}

}  // namespace warplens
