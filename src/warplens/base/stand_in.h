// How profiles mark work that no GPU did.
#pragma once
#include <string_view>

namespace warplens {

/// The end of a library call's name if a stand-in computed it on the CPU: "gemm bf16 4096x768x3072 (stand-in)".
inline constexpr std::string_view kStandInMark = " (stand-in)";
/// At the end of an emulated GPU's name.
inline constexpr std::string_view kEmulatedMark = " (emulated by warplens)";

}  // namespace warplens
