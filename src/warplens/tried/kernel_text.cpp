#include "warplens/tried/kernel_text.h"

#include <algorithm>
#include <cctype>

namespace warplens::tried {
namespace {

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// Behind the literal or comment that begins at `at`; `at` where none does.
size_t end_of_blank(std::string_view s, size_t at) {
  const auto behind = [&](std::string_view end, size_t from) {
    const size_t found = s.find(end, from);
    return found == std::string_view::npos ? s.size() : found + end.size();
  };
  const std::string_view here = s.substr(at);
  if (here.starts_with("//")) return behind("\n", at) - 1;
  if (here.starts_with("/*")) return behind("*/", at + 2);
  if (here.starts_with("R\"")) {
    const size_t open = s.find('(', at);
    if (open == std::string_view::npos) return s.size();
    return behind(")" + std::string(s.substr(at + 2, open - at - 2)) + "\"", open);
  }
  if (s[at] != '"' && (s[at] != '\'' || (at > 0 && in_word(s[at - 1])))) return at;  // 1'000 is a number
  size_t end = at + 1;
  while (end < s.size() && s[end] != s[at] && s[end] != '\n') end += s[end] == '\\' ? 2 : 1;
  return std::min(end + 1, s.size());
}

/// The place of what closes the bracket at `open`; npos where nothing does.
size_t closing(std::string_view s, size_t open, char opens, char closes) {
  size_t depth = 0;
  for (size_t at = open; at < s.size(); ++at) {
    if (s[at] == opens) ++depth;
    if (s[at] == closes && --depth == 0) return at;
  }
  return std::string_view::npos;
}

size_t next_word(std::string_view s, std::string_view word, size_t from) {
  for (size_t at = s.find(word, from); at != std::string_view::npos; at = s.find(word, at + 1)) {
    const bool begins = at == 0 || !in_word(s[at - 1]),
               ends = at + word.size() >= s.size() || !in_word(s[at + word.size()]);
    if (begins && ends) return at;
  }
  return std::string_view::npos;
}

}  // namespace

std::string without_comments(std::string_view source) {
  std::string out(source);
  for (size_t at = 0; at < source.size();) {
    const size_t end = end_of_blank(source, at);
    for (size_t k = at; k < end; ++k) {
      if (out[k] != '\n') out[k] = ' ';
    }
    at = std::max(end, at + 1);
  }
  return out;
}

std::optional<KernelText> find_kernel(std::string_view source, std::string_view name) {
  KernelText out{.clean = without_comments(source)};
  const std::string_view s = out.clean;
  size_t definitions = 0;
  for (size_t at = next_word(s, "__global__", 0); at != std::string_view::npos;
       at = next_word(s, "__global__", at + 1)) {
    const size_t end = s.find_first_of(";{", at), found = next_word(s, name, at);
    if (end == std::string_view::npos || s[end] == ';' || found == std::string_view::npos || found > end) continue;
    const size_t open = s.find_first_not_of(" \t\n", found + name.size());
    if (open == std::string_view::npos || s[open] != '(') continue;
    const size_t close = closing(s, open, '(', ')'), last = closing(s, end, '{', '}');
    if (close == std::string_view::npos || last == std::string_view::npos) continue;
    ++definitions;
    out.name = found;
    out.parameters = {open + 1, close};
    out.body = {end, last + 1};
  }
  if (definitions != 1) return std::nullopt;
  return out;
}

std::vector<Range> parameters_of(const KernelText& kernel) {
  std::vector<Range> out;
  int depth = 0;
  size_t begin = kernel.parameters.begin;
  for (size_t at = begin; at <= kernel.parameters.end; ++at) {
    const char c = kernel.clean[at];
    if (at == kernel.parameters.end || (c == ',' && depth == 0)) {
      if (at > begin) out.push_back({begin, at});
      begin = at + 1;
    }
    depth += c == '(' || c == '<' || c == '[';
    depth -= c == ')' || c == '>' || c == ']';
  }
  return out;
}

std::string_view text_of(const KernelText& kernel, const Range& range) {
  return std::string_view(kernel.clean).substr(range.begin, range.end - range.begin);
}

std::string with(std::string_view source, std::vector<Insertion> insertions) {
  std::ranges::stable_sort(insertions, {}, &Insertion::at);
  std::string out;
  size_t from = 0;
  for (const Insertion& each : insertions) {
    out += source.substr(from, each.at - from);
    out += each.text;
    from = each.at;
  }
  return out + std::string(source.substr(from));
}

}  // namespace warplens::tried
