#include "warplens/collect/host_state.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>

namespace warplens::collect {
namespace {

struct Known {
  int64_t call;
  HostState state;
};

constexpr Known kKnown[] = {
    {SYS_read, HostState::kInput},        {SYS_pread64, HostState::kInput},    {SYS_readv, HostState::kInput},
    {SYS_recvfrom, HostState::kInput},    {SYS_recvmsg, HostState::kInput},    {SYS_ppoll, HostState::kInput},
    {SYS_epoll_pwait, HostState::kInput}, {SYS_pselect6, HostState::kInput},   {SYS_accept4, HostState::kInput},
    {SYS_write, HostState::kInput},       {SYS_sendmsg, HostState::kInput},    {SYS_sendto, HostState::kInput},
    {SYS_fsync, HostState::kInput},       {SYS_nanosleep, HostState::kSleep},  {SYS_clock_nanosleep, HostState::kSleep},
#if defined(__x86_64__)
    {SYS_poll, HostState::kInput},        {SYS_epoll_wait, HostState::kInput}, {SYS_select, HostState::kInput},
#endif
};

/// Where the interpreter keeps its state, and in it the GIL: the symbol is exported by every CPython.
struct Runtime {
  uint64_t at = 0, bytes = 0;
  Runtime() {
    void* symbol = ::dlsym(RTLD_DEFAULT, "_PyRuntime");
    Dl_info info;
    void* entry = nullptr;
    if (symbol == nullptr || ::dladdr1(symbol, &info, &entry, RTLD_DL_SYMENT) == 0 || entry == nullptr) return;
    at = reinterpret_cast<uint64_t>(symbol);
    bytes = static_cast<const ElfW(Sym)*>(entry)->st_size;
  }
};

}  // namespace

std::string_view host_state_name(HostState state) {
  switch (state) {
    case HostState::kUnknown: return "";
    case HostState::kRunning: return "running";
    case HostState::kGil: return "waits for the GIL";
    case HostState::kLock: return "waits for a lock";
    case HostState::kInput: return "waits for input or output";
    case HostState::kSleep: return "sleeps";
    case HostState::kOther: return "in a system call";
    case HostState::kLaunches: return "launches";
  }
  return "";
}

HostState parse_host_state(std::string_view line, uint64_t runtime, uint64_t runtime_bytes) {
  if (line.starts_with("running")) return HostState::kRunning;
  int64_t call = -1;
  const auto [rest, error] = std::from_chars(line.data(), line.data() + line.size(), call);
  if (error != std::errc() || call < 0) return HostState::kUnknown;
  if (call == SYS_futex) {
    uint64_t lock = 0;
    const std::string_view arguments = line.substr(static_cast<size_t>(rest - line.data()));
    if (arguments.starts_with(" 0x"))
      std::from_chars(arguments.data() + 3, arguments.data() + arguments.size(), lock, 16);
    return lock >= runtime && lock - runtime < runtime_bytes ? HostState::kGil : HostState::kLock;
  }
  for (const Known& known : kKnown) {
    if (known.call == call) return known.state;
  }
  return HostState::kOther;
}

HostState read_host_state(uint32_t thread) {
  static const Runtime runtime;
  char path[64], line[256];
  std::snprintf(path, sizeof path, "/proc/self/task/%u/syscall", thread);
  const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return HostState::kUnknown;
  const ssize_t bytes = ::read(fd, line, sizeof line);
  ::close(fd);
  return bytes > 0 ? parse_host_state({line, static_cast<size_t>(bytes)}, runtime.at, runtime.bytes)
                   : HostState::kUnknown;
}

}  // namespace warplens::collect
