// Sources of PyTorch extensions, as device code sees them: without torch's headers and without the functions of the
// host.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace warplens::compile {

/// `source` with its includes of torch, ATen and c10 turned into one of kTorchHeader, which is served to NVRTC, and
/// with host functions, module definitions and host headers blanked out; every line keeps its number. Unchanged when it
/// includes none of them, or when one of `search` has them: then they are taken from there.
std::string without_torch(std::string_view source, const std::vector<std::string>& search);

inline constexpr const char* kTorchHeader = "warplens/torch_device.h";

}  // namespace warplens::compile
