// How profiles mark a library call that a stand-in computed on the CPU.
#pragma once
#include <string_view>

namespace warplens {

/// At the end of its name: "gemm bf16 4096x768x3072 (stand-in)".
inline constexpr std::string_view kStandInMark = " (stand-in)";

}  // namespace warplens
