// Templates with holes.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warplens::fuse {

using Holes = std::vector<std::pair<std::string_view, std::string>>;

/// `text` with ${name} replaced by what `holes` has for it. A line that is a hole alone becomes all lines of its text,
/// indented as the hole is; with an empty text there is no such line.
std::string fill(std::string_view text, const Holes& holes);

}  // namespace warplens::fuse
