#include "warplens/isa/ptx/only_kernels.h"

#include <algorithm>

namespace warplens::ptx {
namespace {

/// The place behind the comment or string that begins at `at`; `at` when none does.
size_t skip_text(std::string_view text, size_t at) {
  const auto behind = [&](std::string_view end, size_t from) {
    const size_t found = text.find(end, from);
    return found == std::string_view::npos ? text.size() : found + end.size();
  };
  if (text.substr(at, 2) == "//") return behind("\n", at);
  if (text.substr(at, 2) == "/*") return behind("*/", at + 2);
  if (text[at] == '"') return behind("\"", at + 1);
  return at;
}

/// Behind the body, or the semicolon of a declaration, of what begins at `at`.
size_t end_of_function(std::string_view text, size_t at) {
  for (int depth = 0; at < text.size();) {
    if (const size_t next = skip_text(text, at); next != at) {
      at = next;
      continue;
    }
    const char c = text[at++];
    if (c == '{') ++depth;
    if ((c == '}' && --depth == 0) || (c == ';' && depth == 0)) break;
  }
  return at;
}

std::string_view name_at(std::string_view text, size_t at) {
  const size_t begin = text.find_first_not_of(" \t\r\n", at), end = text.find_first_of(" \t\r\n({;", begin);
  return begin == std::string_view::npos ? "" : text.substr(begin, end - begin);
}

/// Of the line's words before `at`: only what belongs to a function.
size_t begin_of_function(std::string_view text, size_t at) {
  const size_t line = text.rfind('\n', at) + 1;
  const std::string_view before = text.substr(line, at - line);
  return before.find_first_of(";}/") == std::string_view::npos ? line : at;
}

}  // namespace

std::string only_kernels(std::string_view text, const std::vector<std::string>& names) {
  constexpr std::string_view kEntry = ".entry";
  if (names.empty() || text.find(".debug_info") != std::string_view::npos) return std::string(text);
  std::string out;
  size_t kept = 0;  // what comes before is in `out`, or left out
  int depth = 0;
  for (size_t at = 0; at < text.size();) {
    if (const size_t next = skip_text(text, at); next != at) {
      at = next;
      continue;
    }
    depth += (text[at] == '{') - (text[at] == '}');
    const bool entry = depth == 0 && text.substr(at, kEntry.size()) == kEntry;
    if (!entry) {
      ++at;
      continue;
    }
    const size_t begin = begin_of_function(text, at), end = end_of_function(text, at);
    if (std::ranges::find(names, name_at(text, at + kEntry.size())) == names.end()) {
      out += text.substr(kept, begin - kept);
      kept = end;
    }
    at = end;
  }
  return out += text.substr(kept);
}

}  // namespace warplens::ptx
