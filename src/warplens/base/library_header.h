// Headers of the CUDA toolkit and of the system: code that was inlined from them counts for the line that calls it.
#pragma once
#include <string_view>

namespace warplens {

/// True for `.../cuda-13.0/targets/x86_64-linux/include/cuda_fp16.hpp`, `.../nvidia/cu13/include/...` (a wheel) and
/// `/usr/include/c++/12/cmath`.
inline bool is_library_header(std::string_view path) {
  constexpr std::string_view kInclude = "/include/";
  const size_t include = path.find(kInclude);
  if (include == std::string_view::npos) return false;
  const std::string_view above = path.substr(0, include), below = path.substr(include + kInclude.size());
  const std::string_view folder = above.substr(above.rfind('/') + 1);
  const bool is_system = above == "/usr" || above.starts_with("/usr/lib/gcc") || below.starts_with("c++/");
  return is_system || folder.starts_with("cu") || above.find("/targets/") != std::string_view::npos ||
         below.starts_with("crt/");
}

}  // namespace warplens
