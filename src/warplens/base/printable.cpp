#include "warplens/base/printable.h"

#include <algorithm>
#include <cstdint>

#include "warplens/base/text.h"

namespace warplens {
namespace {

struct Range {
  uint32_t first, last;
};

/// Code points beyond ASCII that act or that nobody sees: C1 controls, marks of direction, joiners, separators of lines
/// and paragraphs, the byte order mark, tags.
constexpr Range kUnseen[] = {{0x80, 0x9f},     {0xad, 0xad},      {0x61c, 0x61c},   {0x180e, 0x180e},
                             {0x200b, 0x200f}, {0x2028, 0x202e},  {0x2060, 0x206f}, {0xfeff, 0xfeff},
                             {0xfff9, 0xfffb}, {0xe0000, 0xe007f}};

bool is_seen(uint32_t code) {
  if (code < 0x80) return code >= 0x20 && code != 0x7f;
  return std::ranges::none_of(kUnseen, [&](Range r) { return code >= r.first && code <= r.last; });
}

/// The bytes of the character that begins `text`, which is UTF-8, and its code point.
size_t decode(std::string_view text, uint32_t& code) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const size_t size = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  code = size == 1 ? lead : lead & (0xffu >> (size + 1));
  for (size_t i = 1; i < size; ++i) code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3f);
  return size;
}

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
    if (!stays) bytes = decode(text, code);
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
