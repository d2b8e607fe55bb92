// Templates with holes.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warplens::fuse {

using Holes = std::vector<std::pair<std::string_view, std::string>>;

/// `text` with ${name} replaced by its text in `holes`. A line with only a hole becomes all lines of its text, indented
/// like the hole; with an empty text, the line goes.
std::string fill(std::string_view text, const Holes& holes);

}  // namespace warplens::fuse
