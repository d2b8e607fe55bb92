// Text of others that goes to a terminal.
#pragma once
#include <string>
#include <string_view>

namespace warplens {

/// `text` as a terminal can show it: what is no UTF-8, and control characters other than tabs and newlines, become
/// U+FFFD.
std::string printable(std::string_view text);

}  // namespace warplens
