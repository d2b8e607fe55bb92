// What a thread of this process is doing, asked of the kernel: no signal is sent and the thread is not stopped.
#pragma once
#include <cstdint>
#include <string_view>

namespace warplens::collect {

/// The last is told by the thread itself, from inside a CUDA call.
enum class HostState : uint8_t { kUnknown, kRunning, kGil, kLock, kInput, kSleep, kOther, kLaunches };

/// "running", "waits for the GIL", ...; "" for kUnknown.
std::string_view host_state_name(HostState state);

/// What a thread is doing, and where it waits: both addresses are 0 while it runs.
struct ThreadNow {
  HostState state = HostState::kUnknown;
  uint64_t stack_pointer = 0, code = 0;
};

/// `line` is /proc/self/task/N/syscall; locks that lie within [runtime, runtime + runtime_bytes) are Python's GIL.
ThreadNow parse_thread(std::string_view line, uint64_t runtime, uint64_t runtime_bytes);

/// Of the thread with this id of the system's. One caller at a time.
ThreadNow look_at_thread(uint32_t thread);

}  // namespace warplens::collect
