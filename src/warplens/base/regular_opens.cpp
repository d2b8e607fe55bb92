#include "warplens/base/regular_opens.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdio>
#include <cstring>

namespace warplens {
namespace {

#if defined(__x86_64__)
constexpr uint32_t kMachine = AUDIT_ARCH_X86_64;
constexpr uint32_t kOpen = SYS_open;
#elif defined(__aarch64__)
constexpr uint32_t kMachine = AUDIT_ARCH_AARCH64;
constexpr uint32_t kOpen = UINT32_MAX;  // this machine has openat alone
#else
constexpr uint32_t kMachine = 0;
constexpr uint32_t kOpen = UINT32_MAX;
#endif

constexpr size_t kStackBytes = size_t{64} << 20;  // compilers recurse as deep as templates nest
constexpr size_t kMessageBytes = 512;             // a kernel's messages may be longer than those of these headers

/// Asks whoever holds the descriptor it gives about each open of this thread and what it starts; -1: this kernel
/// cannot.
int install_filter() {
  const auto number = static_cast<uint32_t>(offsetof(seccomp_data, nr));
  const auto machine = static_cast<uint32_t>(offsetof(seccomp_data, arch));
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, machine),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kMachine, 0, 4),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, number),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 3, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kOpen, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
  };
  const sock_fprog program = {sizeof code / sizeof *code, code};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  return static_cast<int>(::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program));
}

/// The text at `address` of a process, page by page, because the next page may not be there.
bool read_text(pid_t process, uint64_t address, char* out, size_t most) {
  constexpr uint64_t kPage = 4096;
  for (size_t filled = 0; filled < most;) {
    const size_t bytes = std::min<size_t>(kPage - (address + filled) % kPage, most - filled);
    const iovec to = {out + filled, bytes}, from = {reinterpret_cast<void*>(address + filled), bytes};
    if (::process_vm_readv(process, &to, 1, &from, 1, 0) != static_cast<ssize_t>(bytes)) return false;
    if (std::memchr(out + filled, 0, bytes) != nullptr) return true;
    filled += bytes;
  }
  return false;
}

/// Nothing here allocates: the thread that asks may hold the allocator's lock.
bool may_open(const seccomp_notif& asked) {
  const auto process = static_cast<pid_t>(asked.pid);
  const bool plain = static_cast<uint32_t>(asked.data.nr) == kOpen;
  char path[PATH_MAX], whole[PATH_MAX + 64];
  if (!read_text(process, asked.data.args[plain ? 0 : 1], path, sizeof path))
    return true;  // the kernel says what is wrong
  const int folder = plain ? AT_FDCWD : static_cast<int>(asked.data.args[0]);
  if (path[0] == '/') std::snprintf(whole, sizeof whole, "%s", path);
  else if (folder == AT_FDCWD) std::snprintf(whole, sizeof whole, "/proc/%d/cwd/%s", process, path);
  else std::snprintf(whole, sizeof whole, "/proc/%d/fd/%d/%s", process, folder, path);
  struct stat found{};
  if (::stat(whole, &found) != 0 || S_ISREG(found.st_mode) || S_ISDIR(found.st_mode)) return true;
  return S_ISCHR(found.st_mode) && found.st_rdev == makedev(1, 3);  // /dev/null, which ends at once
}

void answer(int listener) {
  alignas(seccomp_notif) char message[kMessageBytes] = {}, reply[kMessageBytes] = {};
  auto* asked = reinterpret_cast<seccomp_notif*>(message);
  auto* said = reinterpret_cast<seccomp_notif_resp*>(reply);
  if (::ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, asked) != 0) return;
  said->id = asked->id;
  if (may_open(*asked)) said->flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
  else said->error = -EACCES;
  (void)::ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, said);  // fails where the asking one has ended
}

struct Shared {
  const std::function<void()>* work;
  std::atomic<int> listener{-1};
  int changed = -1;  // an eventfd: the filter is there, or the work is done
  std::atomic<bool> is_done{false};
};

void* run(void* argument) {
  auto& shared = *static_cast<Shared*>(argument);
  shared.listener = install_filter();
  (void)::eventfd_write(shared.changed, 1);
  (*shared.work)();
  shared.is_done = true;
  (void)::eventfd_write(shared.changed, 1);
  return nullptr;
}

/// Answers until the thread has ended: the C library opens files while it ends one.
void serve(Shared& shared, pthread_t thread) {
  while (!shared.is_done || ::pthread_tryjoin_np(thread, nullptr) != 0) {
    pollfd waits[2] = {{shared.changed, POLLIN, 0}, {shared.listener, POLLIN, 0}};
    if (::poll(waits, 2, shared.is_done ? 1 : -1) < 0) continue;
    eventfd_t ignored = 0;
    if ((waits[0].revents & POLLIN) != 0) (void)::eventfd_read(shared.changed, &ignored);
    if ((waits[1].revents & POLLIN) != 0) answer(shared.listener);
  }
}

bool can_filter() {
  seccomp_notif_sizes sizes{};
  return kMachine != 0 && ::syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes) == 0 &&
         std::max(sizes.seccomp_notif, sizes.seccomp_notif_resp) <= kMessageBytes;
}

}  // namespace

void with_regular_opens(const std::function<void()>& work) {
  Shared shared{.work = &work};
  shared.changed = can_filter() ? ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) : -1;
  if (shared.changed < 0) return work();
  pthread_attr_t attributes;
  ::pthread_attr_init(&attributes);
  ::pthread_attr_setstacksize(&attributes, kStackBytes);
  pthread_t thread{};
  const bool started = ::pthread_create(&thread, &attributes, run, &shared) == 0;
  ::pthread_attr_destroy(&attributes);
  if (started) {
    serve(shared, thread);
    if (shared.listener >= 0) ::close(shared.listener);
  }
  ::close(shared.changed);
  if (!started) work();
}

}  // namespace warplens
