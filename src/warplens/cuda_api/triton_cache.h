// The cache of Triton's compiler: it keeps the PTX beside the machine code that a program loads.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace warplens::cuda_api {

/// The PTX texts beside cubins of this kernel that equal `cubin`, with true source lines. The cache is
/// TRITON_CACHE_DIR, or ~/.triton/cache.
std::vector<std::string> ptx_of_triton(const std::string& kernel, std::string_view cubin);

}  // namespace warplens::cuda_api
