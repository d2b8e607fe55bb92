// Copies of the CUDA runtime that cannot be replaced.
#pragma once
#include <string>
#include <string_view>

namespace warplens::cuda_api {

/// Why the file's CUDA runtime is not emulated, with the remedy, in one line. For a known package: the alternative.
std::string about_stripped(std::string_view file);

}  // namespace warplens::cuda_api
