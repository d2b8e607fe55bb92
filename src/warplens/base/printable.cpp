#include "warplens/base/printable.h"

#include <algorithm>
#include <cstdint>

#include "warplens/base/text.h"
#include "warplens/base/unseen.h"
#include "warplens/base/utf8.h"

namespace warplens {
namespace {

std::string escape(uint32_t code) {
  switch (code) {
    case '\n': return "\\n";
    case '\r': return "\\r";
    case '\t': return "\\t";
    default: return code < 0x10000 ? fmt::format("\\u{:04x}", code) : fmt::format("\\U{:08x}", code);
  }
}

/// Only printable ASCII, as nearly every name is.
bool is_plain(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7f; });
}

/// The bytes of a colour that styled() writes, "\x1b[31m", which begins `text`; 0 where none does.
size_t colour(std::string_view text) {
  if (!text.starts_with("\x1b[")) return 0;
  const size_t end = text.find_first_not_of("0123456789", 2);
  const bool known = end != std::string_view::npos && text[end] == 'm' && end > 2 && end <= 4;
  return known ? end + 1 : 0;
}

/// Copies `text` with escapes; `keeps` says how many bytes of what begins a rest stay as they are.
template <typename Keeps>
std::string escaped(std::string_view text, Keeps keeps) {
  std::string out;
  while (!text.empty()) {
    uint32_t code = 0;
    size_t bytes = keeps(text);
    const bool stays = bytes > 0;
    if (!stays) bytes = decode_utf8(text, code);
    if (stays || is_seen(code)) out += text.substr(0, bytes);
    else out += escape(code);
    text.remove_prefix(bytes);
  }
  return out;
}

/// Breaks what a build service would take for a command.
void defuse(std::string& line) {
  if (const size_t first = line.find_first_not_of(" \t"); first != std::string::npos) {
    if (std::string_view(line).substr(first).starts_with("::")) line.insert(first, "\\");
  }
  for (size_t at = line.find("##"); at != std::string::npos; at = line.find("##", at + 2)) {
    if (line.find('[', at) != std::string::npos) line.insert(at + 1, " ");
  }
}

}  // namespace

bool is_printable(std::string_view name) { return is_plain(name) || printable(name) == name; }

std::string printable(std::string_view name) {
  if (is_plain(name)) return std::string(name);
  return escaped(repair_utf8(name), [](std::string_view) { return size_t{0}; });
}

std::string printable_lines(std::string_view text) {
  const std::string whole = repair_utf8(text);
  const auto keeps = [](std::string_view rest) { return rest[0] == '\t' ? size_t{1} : colour(rest); };
  std::string out;
  for (size_t begin = 0; begin < whole.size();) {
    const size_t end = std::min(whole.find('\n', begin), whole.size());
    const std::string_view line = std::string_view(whole).substr(begin, end - begin);
    std::string shown = is_plain(line) ? std::string(line) : escaped(line, keeps);
    defuse(shown);
    out += shown;
    if (end < whole.size()) out += '\n';
    begin = end + 1;
  }
  return out;
}

bool begins_formula(std::string_view cell) {
  return !cell.empty() && (std::string_view("=+-@").find(cell[0]) != std::string_view::npos || cell.starts_with("::") ||
                           cell.starts_with("##"));
}

}  // namespace warplens
