// How much memory this process may still use.
#pragma once
#include <cstdint>

namespace warplens {

/// Bytes available without swapping, by /proc/meminfo and the limit of the control group. UINT64_MAX if the system
/// gives no number.
uint64_t available_memory_bytes();

}  // namespace warplens
