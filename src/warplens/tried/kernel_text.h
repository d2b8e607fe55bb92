// Finds a kernel in its source: enough of C++ for small edits.
#pragma once
#include <cstddef>
#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

namespace warplens::tried {

/// A part of a text, from `begin` to before `end`.
struct Range {
  size_t begin = 0, end = 0;
};

struct KernelText {
  size_t name = 0;    // of its definition
  Range parameters;   // between the parentheses
  Range body;         // with its braces
  std::string clean;  // the whole source; comments and strings are blanks
};

/// `source` with comments, string and character literals as blanks; its lines stay.
std::string without_comments(std::string_view source);

/// The only definition of the __global__ function `name`. Nothing if there is none or several.
std::optional<KernelText> find_kernel(std::string_view source, std::string_view name);

/// Parameters, apart by commas outside of brackets.
std::vector<Range> parameters_of(const KernelText& kernel);

/// `range` of the source, with its comments and literals as blanks.
std::string_view text_of(const KernelText& kernel, const Range& range);

using Match = std::match_results<std::string::const_iterator>;
/// Calls `visit(match, place in the source)` with each match of `pattern` within `range`.
template <typename F>
void each_match(const KernelText& kernel, const Range& range, const std::regex& pattern, F visit) {
  const auto begin = kernel.clean.begin() + static_cast<std::ptrdiff_t>(range.begin),
             end = kernel.clean.begin() + static_cast<std::ptrdiff_t>(range.end);
  for (std::sregex_iterator it(begin, end, pattern), none; it != none; ++it)
    visit(*it, range.begin + static_cast<size_t>(it->position(0)));
}

struct Insertion {
  size_t at;
  std::string text;
};
/// Inserts each text in front of the character at its place in `source`.
std::string with(std::string_view source, std::vector<Insertion> insertions);

}  // namespace warplens::tried
