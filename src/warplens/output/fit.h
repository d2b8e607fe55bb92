// Text made to fit a terminal.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace warplens {

/// Breaks lines wider than `width` columns (0: no limit) at spaces, with continuations indented by two more. Words that
/// are too wide by themselves (paths, C++ names) are shortened in their middle. Places in kernels stay whole. Colours
/// take no room.
std::string fitted(std::string_view text, size_t width);

}  // namespace warplens
