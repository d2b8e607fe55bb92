// Sources of PyTorch extensions, as device code sees them: without torch's headers and without the functions of the
// host.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace warplens::compile {

/// The first header of torch, ATen or c10 that `source` includes, as it names it; empty if there is none.
std::string_view torch_header(std::string_view source);

/// `source` for NVRTC: an include of kTorchHeader, which NVRTC gets from us, replaces those of torch, ATen and c10.
/// Host functions, module definitions and host headers are blanked out, and every line keeps its number.
std::string with_served_torch(std::string_view source);

/// `source` for a compiler that has torch's own headers. Host functions and module definitions are blanked out, and
/// headers that need Python's become torch/types.h.
std::string with_own_torch(std::string_view source);

inline constexpr const char* kTorchHeader = "warplens/torch_device.h";

}  // namespace warplens::compile
