// Text made to fit a terminal.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace warplens {

/// Lines that are wider than `width` columns (0: none is) are broken at spaces, what follows indented by two more than
/// the line; words that are wider by themselves (paths, C++ names) are shortened in their middle. Places in kernels
/// stay whole. Colours take no room.
std::string fitted(std::string_view text, size_t width);

}  // namespace warplens
