// A module's text without the kernels that nobody asks for: assembling takes as long as there are kernels.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace warplens::ptx {

/// `text` without the kernels (.entry) that are not in `names`; functions and variables stay. With debug information
/// that points into kernels, and where none is named, all of it.
std::string only_kernels(std::string_view text, const std::vector<std::string>& names);

}  // namespace warplens::ptx
