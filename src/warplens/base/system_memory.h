// How much memory this process may still use.
#pragma once
#include <cstdint>

namespace warplens {

/// Bytes that can be had without swapping, by /proc/meminfo and the limit of the control group; UINT64_MAX when the
/// system does not say.
uint64_t available_memory_bytes();

}  // namespace warplens
