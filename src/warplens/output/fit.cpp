#include "warplens/output/fit.h"

#include <algorithm>

#include "warplens/base/text.h"

namespace warplens {
namespace {

/// Columns without the escape sequences of colours.
size_t columns(std::string_view text) {
  size_t hidden = 0;
  for (size_t at = text.find("\x1b["); at != std::string_view::npos; at = text.find("\x1b[", at + 1))
    hidden += std::min(text.find('m', at), text.size() - 1) + 1 - at;
  return display_width(text) - hidden;
}

/// A word within `width` columns; one with colours in it stays as it is.
std::string narrowed(std::string_view word, size_t width) {
  return columns(word) > width && word.find('\x1b') == std::string_view::npos ? ellipsis(word, width)
                                                                              : std::string(word);
}

/// "at kernel 'k' block (0,0,0) thread (5,0,0) at k.cu:12": who follows it needs the path whole.
bool is_place(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  return line.starts_with("at kernel '") || line.starts_with("and kernel '");
}

void add_fitted(std::string& out, std::string_view line, size_t width) {
  const size_t indent = std::min(line.find_first_not_of(' '), line.size());
  const size_t hanging = std::min(indent + 2, width / 2);
  out += line.substr(0, std::min(indent, width / 2));
  size_t used = std::min(indent, width / 2), pending = 0;
  bool first = true;
  for (const std::string_view part : split(line.substr(indent), ' ')) {
    if (part.empty()) {  // several spaces in a row are kept where they do not end a line
      ++pending;
      continue;
    }
    const size_t gap = first ? 0 : pending + 1;
    if (!first && used + gap + columns(part) > width) {
      out += '\n' + std::string(hanging, ' ');
      used = hanging;
    } else {
      out += std::string(gap, ' ');
      used += gap;
    }
    const std::string word = narrowed(part, width - used);
    out += word;
    used += columns(word);
    first = false;
    pending = 0;
  }
}

}  // namespace

std::string fitted(std::string_view text, size_t width) {
  if (width == 0) return std::string(text);
  std::string out;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    if (columns(line) <= width || is_place(line)) out += line;
    else add_fitted(out, line, width);
    if (end < text.size()) out += '\n';
    begin = end + 1;
  }
  return out;
}

}  // namespace warplens
