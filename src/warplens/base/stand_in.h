// How profiles mark what no GPU did.
#pragma once
#include <string_view>

namespace warplens {

/// At the end of a library call's name that a stand-in computed on the CPU: "gemm bf16 4096x768x3072 (stand-in)".
inline constexpr std::string_view kStandInMark = " (stand-in)";
/// At the end of an emulated GPU's name.
inline constexpr std::string_view kEmulatedMark = " (emulated by warplens)";

}  // namespace warplens
