#include "warplens/build/compile/host_code.h"

#include <algorithm>
#include <array>

#include "warplens/base/text.h"

namespace warplens::compile {
namespace {

/// Standard headers that only host code uses; <cstdint>, <cmath> and their like are served to NVRTC (see nvrtc.cpp).
constexpr std::array kHostHeaders = {"algorithm", "array",    "chrono", "cstdlib", "cstring", "fstream", "functional",
                                     "iomanip",   "iostream", "map",    "memory",  "random",  "sstream", "stdlib.h",
                                     "string.h",  "string",   "thread", "utility", "vector",  "tuple"};

size_t skip_literal(std::string& text, size_t at) {
  const char quote = text[at++];
  while (at < text.size() && text[at] != quote && text[at] != '\n') {
    const size_t n = text[at] == '\\' && at + 1 < text.size() && text[at + 1] != '\n' ? 2 : 1;
    std::fill_n(text.begin() + static_cast<std::ptrdiff_t>(at), n, ' ');
    at += n;
  }
  return at + 1;
}

void blank(std::string& text, size_t from, size_t to) {
  for (size_t i = from; i < std::min(to, text.size()); ++i) {
    if (text[i] != '\n') text[i] = ' ';
  }
}

/// R"tag( ... )tag"
size_t skip_raw(std::string& text, size_t quote) {
  const size_t open = text.find('(', quote);
  if (open == std::string::npos || open - quote > 17) return quote + 1;
  const size_t end = text.find(")" + text.substr(quote + 1, open - quote - 1) + "\"", open);
  const size_t stop = end == std::string::npos ? text.size() : end;
  blank(text, open + 1, stop);
  return stop + (open - quote) + 1;
}

int line_of(std::string_view text, size_t at) {
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

std::string found_at(std::string_view what, std::string_view text, size_t at) {
  return fmt::format("{} (line {})", what, line_of(text, at));
}

}  // namespace

std::string blank_literals(std::string_view source) {
  std::string text(source);
  for (size_t i = 0; i < text.size();) {
    const std::string_view rest = std::string_view(text).substr(i);
    if (rest.starts_with("//") || rest.starts_with("/*")) {
      const bool line = text[i + 1] == '/';
      const size_t end = line ? text.find('\n', i) : text.find("*/", i + 2);
      const size_t stop = end == std::string::npos ? text.size() : end + (line ? 0 : 2);
      blank(text, i, stop);
      i = stop;
    } else if (rest.starts_with("R\"")) {
      i = skip_raw(text, i + 1);
    } else if (text[i] == '"') {
      i = skip_literal(text, i);
    } else if (text[i] == '\'' && (i == 0 || !std::isalnum(static_cast<unsigned char>(text[i - 1])))) {  // not 1'000
      i = skip_literal(text, i);
    } else {
      ++i;
    }
  }
  return text;
}

std::string host_code_reason(std::string_view source) {
  const std::string text = blank_literals(source);
  if (const size_t at = text.find("<<<"); at != std::string::npos) return found_at("a <<<...>>> launch", source, at);
  for (size_t at = text.find('#'); at != std::string::npos; at = text.find('#', at + 1)) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = trim(std::string_view(text).substr(at + 1, end - at - 1));
    if (!line.starts_with("include")) continue;
    const std::string_view header = trim(line.substr(7));
    for (const char* host : kHostHeaders) {
      if (header == fmt::format("<{}>", host)) return found_at(fmt::format("#include {}", header), source, at);
    }
  }
  for (size_t at = text.find("main"); at != std::string::npos; at = text.find("main", at + 4)) {
    const std::string_view before = trim(std::string_view(text).substr(at >= 8 ? at - 8 : 0, std::min<size_t>(at, 8)));
    const std::string_view after = trim(std::string_view(text).substr(at + 4, 16));
    if (before.ends_with("int") && after.starts_with('(')) return found_at("main()", source, at);
  }
  return "";
}

}  // namespace warplens::compile
