// A module's text without the kernels that are not needed: assembling time grows with their number.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace warplens::ptx {

/// `text` without the kernels (.entry) that are not in `names`; functions and variables stay. With debug information
/// that points into kernels, and where none is named, all of it.
std::string only_kernels(std::string_view text, const std::vector<std::string>& names);

}  // namespace warplens::ptx
