// Patterns of file names, as shells have them.
#pragma once
#include <string_view>

namespace warplens {

/// True if the whole of `text` matches `pattern`: * matches any characters, ? matches one. Both may be anybody's:
/// patterns that nearly match everywhere take no longer than others.
bool matches_glob(std::string_view pattern, std::string_view text);

}  // namespace warplens
