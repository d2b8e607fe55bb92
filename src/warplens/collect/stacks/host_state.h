// The activity of a thread of this process, read from the kernel. No signal is sent and the thread is not stopped.
#pragma once
#include <cstdint>
#include <string_view>

namespace warplens::collect {

/// The thread itself reports the last one, from inside a CUDA call.
enum class HostState : uint8_t { kUnknown, kRunning, kGil, kLock, kInput, kSleep, kOther, kLaunches };

/// "running", "waits for the GIL", ...; "" for kUnknown.
std::string_view host_state_name(HostState state);

/// The activity of a thread, and where it waits; both addresses are 0 while it runs.
struct ThreadNow {
  HostState state = HostState::kUnknown;
  uint64_t stack_pointer = 0, code = 0;
};

/// `line` is /proc/self/task/N/syscall; locks that are within [runtime, runtime + runtime_bytes) are Python's GIL.
ThreadNow parse_thread(std::string_view line, uint64_t runtime, uint64_t runtime_bytes);

/// The state of the thread with this system id. One caller at a time.
ThreadNow look_at_thread(uint32_t thread);

}  // namespace warplens::collect
