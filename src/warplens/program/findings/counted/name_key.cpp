#include "warplens/program/findings/counted/name_key.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include "warplens/base/demangle.h"
#include "warplens/base/text.h"

namespace warplens::findings {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$'; }

/// Words that one tool writes and another leaves out.
bool says_nothing(std::string_view word) {
  constexpr std::array<std::string_view, 7> kWords = {"const",    "class",    "struct", "enum",
                                                      "typename", "instance", "int"};
  return std::ranges::find(kWords, word) != kWords.end();
}

std::string plain_number(std::string_view word) {
  size_t digits = 0;
  while (digits < word.size() && std::isdigit(static_cast<unsigned char>(word[digits]))) ++digits;
  const std::string_view suffix = word.substr(digits);
  const bool is_suffix = suffix.find_first_not_of("uUlL") == std::string_view::npos;
  return std::string(is_suffix ? word.substr(0, digits) : word);
}

/// "(unsigned int)4" -> "4": how ncu writes a template's constants.
std::string without_casts(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(' && !out.empty() && !is_word(out.back()) && out.back() != '>') {
      const size_t end = text.find(')', i);
      const bool is_cast =
          end != std::string_view::npos && end + 1 < text.size() && end > i + 1 &&
          (std::isdigit(static_cast<unsigned char>(text[end + 1])) || text[end + 1] == '-') &&
          std::all_of(text.begin() + static_cast<ptrdiff_t>(i) + 1, text.begin() + static_cast<ptrdiff_t>(end),
                      [](char c) { return is_word(c) || c == ' ' || c == ':'; });
      if (is_cast) {
        i = end;
        continue;
      }
    }
    out += text[i];
  }
  return out;
}

/// Where the template's arguments begin, and the parameters, in a name without its return type.
struct Parts {
  size_t arguments, parameters;
};

Parts parts_of(std::string_view name) {
  Parts out{name.size(), name.size()};
  int angle = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (c == '<' && angle++ == 0) out.arguments = i;
    if (c == '>' && angle > 0) --angle;
    if (c == ':' && angle == 0) out.arguments = name.size();  // those were an enclosing class's
    if (c != '(' || angle != 0) continue;
    out.parameters = i;
    break;
  }
  out.arguments = std::min(out.arguments, out.parameters);
  return out;
}

/// Without "void " and the like: the last space before the function's own name, outside of <>.
std::string_view without_return_type(std::string_view name) {
  int angle = 0;
  size_t begin = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '<') ++angle;
    if (name[i] == '>' && angle > 0) --angle;
    if (name[i] == '(') break;
    if (name[i] == ' ' && angle == 0) begin = i + 1;
  }
  return name.substr(begin);
}

std::string joined_words(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    if (!is_word(text[at])) {
      ++at;
      continue;
    }
    size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    std::string word = plain_number(text.substr(at, end - at));
    if (word == "true" || word == "false") word = word == "true" ? "1" : "0";
    const bool negative = at > 0 && text[at - 1] == '-';
    if (!says_nothing(word)) out += (out.empty() ? "" : " ") + std::string(negative ? "-" : "") + word;
    at = end;
  }
  return out;
}

}  // namespace

std::string name_key(std::string_view name, NameDetail detail) {
  std::string readable = demangled(std::string(name));
  for (const char* unnamed : {"(anonymous namespace)::", "<unnamed>::"})
    readable = replace_all(std::move(readable), unnamed, "");
  readable = without_casts(readable);
  std::string_view rest = without_return_type(readable);
  const Parts parts = parts_of(rest);
  if (detail == NameDetail::kWhole) return joined_words(rest);
  if (detail == NameDetail::kTemplate) return joined_words(rest.substr(0, parts.parameters));
  std::string_view function = rest.substr(0, parts.arguments);
  if (const size_t scope = function.rfind("::"); scope != std::string_view::npos) function.remove_prefix(scope + 2);
  return joined_words(function);
}

}  // namespace warplens::findings
