#include "warplens/collect/stacks/host_state.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/syscall.h>

#include <charconv>
#include <vector>

#include "warplens/collect/stacks/thread_files.h"

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

/// The numbers behind a call's, "0x..." each: six arguments, the stack pointer and the place in code; of a thread that
/// waits outside of a system call, the last two alone.
std::vector<uint64_t> numbers(std::string_view rest) {
  std::vector<uint64_t> out;
  while (rest.starts_with(" 0x")) {
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(rest.data() + 3, rest.data() + rest.size(), value, 16);
    if (error != std::errc()) break;
    out.push_back(value);
    rest.remove_prefix(static_cast<size_t>(end - rest.data()));
  }
  return out;
}

HostState state_of(int64_t call, const std::vector<uint64_t>& given, uint64_t runtime, uint64_t runtime_bytes) {
  if (call < 0) return HostState::kUnknown;
  if (call == SYS_futex) {
    const uint64_t lock = given.empty() ? 0 : given[0];
    return lock >= runtime && lock - runtime < runtime_bytes ? HostState::kGil : HostState::kLock;
  }
  for (const Known& known : kKnown) {
    if (known.call == call) return known.state;
  }
  return HostState::kOther;
}

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

ThreadNow parse_thread(std::string_view line, uint64_t runtime, uint64_t runtime_bytes) {
  ThreadNow out;
  if (line.starts_with("running")) out.state = HostState::kRunning;
  int64_t call = -1;
  const auto [rest, error] = std::from_chars(line.data(), line.data() + line.size(), call);
  if (error != std::errc()) return out;
  const std::vector<uint64_t> given = numbers(line.substr(static_cast<size_t>(rest - line.data())));
  out.state = state_of(call, given, runtime, runtime_bytes);
  if (given.size() < 2) return out;
  out.stack_pointer = given[given.size() - 2];
  out.code = given.back();
  return out;
}

ThreadNow look_at_thread(uint32_t thread) {
  static const Runtime runtime;
  char line[256];
  const std::string_view told = read_thread_file(thread, ThreadFile::kSystemCall, line);
  return told.empty() ? ThreadNow{} : parse_thread(told, runtime.at, runtime.bytes);
}

}  // namespace warplens::collect
