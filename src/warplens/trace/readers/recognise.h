// Recognises files of other tools that warplens cannot read, so that the error can name them.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace warplens {

/// "a memory timeline of torch's memory profiler: give ..." by the file's first bytes (decompressed) and its name; no
/// value if it is unknown.
std::optional<std::string> recognise(std::string_view head, std::string_view file_name);

}  // namespace warplens
