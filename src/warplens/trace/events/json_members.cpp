#include "warplens/trace/events/json_members.h"

namespace warplens {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

/// Behind the string that begins at `at`.
size_t behind_string(std::string_view text, size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) at += text[at] == '\\';
  return at + 1;
}

/// Where the value that begins at `at` ends.
size_t behind_value(std::string_view text, size_t at) {
  for (int depth = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"') {
      at = behind_string(text, at);
      continue;
    }
    if (depth == 0 && (c == ',' || c == '}')) return at;
    depth += (c == '{' || c == '[') - (c == '}' || c == ']');
    ++at;
  }
  return text.size();
}

}  // namespace

std::vector<std::pair<std::string_view, std::string_view>> json_members(std::string_view object) {
  std::vector<std::pair<std::string_view, std::string_view>> out;
  for (size_t at = object.find('"'); at < object.size();) {
    const size_t key_end = behind_string(object, at);
    const size_t colon = object.find(':', key_end);
    if (colon == std::string_view::npos) break;
    const size_t begin = object.find_first_not_of(kSpace, colon + 1);
    if (begin == std::string_view::npos) break;
    const size_t end = behind_value(object, begin);
    const size_t last = object.find_last_not_of(kSpace, end - 1);
    out.emplace_back(object.substr(at + 1, key_end - at - 2), object.substr(begin, last - begin + 1));
    at = object.find('"', end);
  }
  return out;
}

}  // namespace warplens
