// Paragraphs for a terminal.
#pragma once
#include <string>
#include <string_view>

namespace warplens {

/// `text` in lines of at most `width` columns, broken at spaces, each after `indent`; it ends with a line break.
std::string wrap(std::string_view text, size_t width, std::string_view indent);

}  // namespace warplens
