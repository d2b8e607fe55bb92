// Finds a kernel in its source: enough of C++ for small edits.
#pragma once
#include <cstddef>
#include <optional>
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

}  // namespace warplens::tried
