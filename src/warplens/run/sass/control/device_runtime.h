// The CUDA runtime's calls in kernels: launches of kernels, copies and fills, the streams and events that order them,
// errors, and queries of the device.
#pragma once
#include <string_view>

#include "warplens/run/sass/op.h"

namespace warplens::simt::sass_machine {

/// The prefix of its functions' names. A linked cubin holds their code, which calls NVIDIA's driver: it is not
/// run.
inline constexpr std::string_view kDeviceRuntime = "__cudaCDP2";
inline constexpr std::string_view kGetParameterBuffer = "__cudaCDP2GetParameterBufferV2";

/// True if there is such a function; runs it for the lanes of `on`.
bool call_device_runtime(Warp& warp, std::string_view name, uint32_t on);

}  // namespace warplens::simt::sass_machine
