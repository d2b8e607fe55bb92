#include "warplens/collect/stacks/thread_copy.h"

#include <signal.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <map>
#include <string_view>

#include "warplens/collect/settings/settings.h"
#include "warplens/collect/stacks/interrupted_call.h"
#include "warplens/collect/stacks/thread_files.h"

namespace warplens::collect {

#if defined(__x86_64__)
namespace {

constexpr int kWaits = 100;       // for an answer,
constexpr long kWaitNs = 10'000;  // of this each
constexpr size_t kPage = 4096;

enum Answer : uint32_t { kIdle, kAsked, kCopying, kDone };

/// What a handler is asked for and gives: it may not allocate.
struct Question {
  std::atomic<uint32_t> answer{kIdle};
  std::atomic<uint32_t> thread{0};
  Registers registers;
  size_t bytes = 0;
  uint8_t stack[ThreadCopy::kMostBytes];
};
Question question;
bool prepared = false;

/// As much above `from` as is there: the kernel copies, so that what is not mapped is an error and no fault.
size_t copy_memory(uint64_t from, uint8_t* to) {
  size_t bytes = 0;
  while (bytes < ThreadCopy::kMostBytes) {  // to the page's end each time: a copy over a hole may give nothing
    const size_t wanted = std::min(ThreadCopy::kMostBytes - bytes, 4 * kPage - (from + bytes) % kPage);
    const iovec here = {to + bytes, wanted}, there = {reinterpret_cast<void*>(from + bytes), wanted};
    const ssize_t got = ::process_vm_readv(::getpid(), &here, 1, &there, 1, 0);
    if (got <= 0) break;
    bytes += static_cast<size_t>(got);
    if (static_cast<size_t>(got) < wanted) break;
  }
  return bytes;
}

/// DWARF's numbers of the registers in a signal's context.
constexpr int kPlaces[kRegisters] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
                                     REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};

void on_signal(int, siginfo_t*, void* context) {
  const int before = errno;
  uint32_t asked = kAsked;
  const auto self = static_cast<uint32_t>(::syscall(SYS_gettid));
  if (question.thread.load() == self && question.answer.compare_exchange_strong(asked, kCopying)) {
    const auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
    for (unsigned k = 0; k < kRegisters; ++k) question.registers.set(k, static_cast<uint64_t>(registers[kPlaces[k]]));
    question.bytes = copy_memory(question.registers.values[kStackPointer], question.stack);
    question.answer.store(kDone, std::memory_order_release);
  }
  resume_interrupted_call(static_cast<ucontext_t*>(context));
  errno = before;
}

bool is_ours() {
  struct sigaction there{};
  return ::sigaction(kStackSignal, nullptr, &there) == 0 && (there.sa_flags & SA_SIGINFO) != 0 &&
         there.sa_sigaction == on_signal;
}

/// Whether the thread runs and takes the signal. One that is blocked would wait for the thread, which may ask for those
/// that wait (sigwait, signalfd); while it asks it seems to block none, and mostly does not run. So a thread has to be
/// seen some times, and never to block the signal.
bool takes_signal(uint32_t thread) {
  constexpr int kEnough = 4, kBlocks = -1;
  static auto& seen = *new std::map<uint32_t, int>;
  char text[4096];
  const std::string_view status = read_thread_file(thread, ThreadFile::kStatus, text);
  constexpr std::string_view kState = "State:\t", kMask = "SigBlk:\t";
  const size_t state = status.find(kState), mask = status.find(kMask);
  if (state == std::string_view::npos || mask == std::string_view::npos) return false;
  uint64_t blocked = 0;
  std::from_chars(status.data() + mask + kMask.size(), status.data() + status.size(), blocked, 16);
  int& times = seen[thread];
  if ((blocked >> (kStackSignal - 1) & 1) != 0) times = kBlocks;
  if (times == kBlocks || status[state + kState.size()] != 'R') return false;
  times = std::min(times + 1, kEnough);
  return times == kEnough;
}

/// Whether the thread copied itself.
bool ask(uint32_t thread) {
  question.thread.store(thread);
  question.answer.store(kAsked);
  if (::syscall(SYS_tgkill, ::getpid(), thread, kStackSignal) != 0) {
    question.answer.store(kIdle);
    return false;
  }
  const timespec wait = {0, kWaitNs};
  for (int i = 0; i < kWaits && question.answer.load(std::memory_order_acquire) != kDone; ++i)
    ::nanosleep(&wait, nullptr);
  uint32_t asked = kAsked;
  if (question.answer.compare_exchange_strong(asked, kIdle)) return false;  // it blocks signals, or has no core
  while (question.answer.load(std::memory_order_acquire) != kDone) ::nanosleep(&wait, nullptr);
  question.answer.store(kIdle);
  return true;
}

}  // namespace

void prepare_thread_copies() {
  struct sigaction there{};
  if (::sigaction(kStackSignal, nullptr, &there) != 0) return;
  if (there.sa_handler != SIG_DFL && there.sa_handler != SIG_IGN) return;  // by default it is ignored too
  struct sigaction ours{};
  ours.sa_sigaction = on_signal;
  ours.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  prepared = ::sigaction(kStackSignal, &ours, nullptr) == 0;
}

void copy_thread(uint32_t thread, const ThreadNow& now, bool may_signal, ThreadCopy* out) {
  out->registers = {};
  out->stack.clear();
  if (now.state == HostState::kRunning && may_signal && prepared && is_ours() && takes_signal(thread) && ask(thread)) {
    out->registers = question.registers;
    out->stack.assign(question.stack, question.stack + question.bytes);
  } else if (now.stack_pointer != 0) {
    out->registers.set(kStackPointer, now.stack_pointer);
    out->registers.set(kReturnColumn, now.code);
    out->stack.resize(ThreadCopy::kMostBytes);
    out->stack.resize(copy_memory(now.stack_pointer, out->stack.data()));
  }
}
#else
void prepare_thread_copies() {}
void copy_thread(uint32_t, const ThreadNow&, bool, ThreadCopy* out) { *out = {}; }
#endif

}  // namespace warplens::collect
