// Small text helpers; formatting is fmt's (fmt::join and the like: include fmt/format.h, which takes twice as long).
#pragma once
#include <fmt/core.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warplens {

std::vector<std::string_view> split(std::string_view text, char separator);
std::string_view trim(std::string_view text);
bool contains(std::string_view text, std::string_view part);
std::string join(const std::vector<std::string>& parts, std::string_view separator);
std::string replace_all(std::string text, std::string_view from, std::string_view to);

/// Whole-string parses: no value unless all of `text` is a number in range.
std::optional<int64_t> parse_int(std::string_view text);
std::optional<double> parse_double(std::string_view text);

bool is_utf8(std::string_view text);
/// `text` with each byte that is no UTF-8 replaced by U+FFFD.
std::string repair_utf8(std::string_view text);

/// Columns that `text` takes in a terminal, counting UTF-8 code points.
size_t display_width(std::string_view text);

/// `text` cut in its middle to `width` columns, with an ellipsis.
std::string ellipsis(std::string_view text, size_t width);

/// The first candidate that begins with `word`, else the nearest by edit distance, for "did you mean". Empty if none is
/// near: more than a third of the letters differ.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace warplens
