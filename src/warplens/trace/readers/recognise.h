// Files of other tools that warplens cannot read: what they are, so that a refusal can say so.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace warplens {

/// "a memory timeline of torch's memory profiler: give ..." by the file's first bytes (decompressed) and its name; no
/// value when it is nothing known.
std::optional<std::string> recognise(std::string_view head, std::string_view file_name);

}  // namespace warplens
