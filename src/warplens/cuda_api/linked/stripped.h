// Copies of the CUDA runtime that cannot be replaced.
#pragma once
#include <string>
#include <string_view>

namespace warplens::cuda_api {

/// Why the file's CUDA runtime is not emulated and what to do, in one line: of a known package what runs instead.
std::string about_stripped(std::string_view file);

}  // namespace warplens::cuda_api
