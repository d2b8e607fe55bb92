// What a thread of this process is doing, asked of the kernel: no signal is sent and the thread is not stopped.
#pragma once
#include <cstdint>
#include <string_view>

namespace warplens::collect {

/// The last is told by the thread itself, from inside a CUDA call.
enum class HostState : uint8_t { kUnknown, kRunning, kGil, kLock, kInput, kSleep, kOther, kLaunches };

/// "running", "waits for the GIL", ...; "" for kUnknown.
std::string_view host_state_name(HostState state);

/// `line` is /proc/self/task/N/syscall; locks that lie within [runtime, runtime + runtime_bytes) are Python's GIL.
HostState parse_host_state(std::string_view line, uint64_t runtime, uint64_t runtime_bytes);

/// Of the thread with this id of the system's.
HostState read_host_state(uint32_t thread);

}  // namespace warplens::collect
