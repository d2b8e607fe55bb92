#include "warplens/collect/host_sampler.h"

#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "warplens/collect/process/ticks.h"
#include "warplens/collect/recorder.h"
#include "warplens/collect/stacks/host_state.h"
#include "warplens/collect/stacks/native_names.h"
#include "warplens/collect/stacks/thread_copy.h"

namespace warplens::collect {
namespace {

std::atomic<bool> python_samples{false};

bool says_nothing(std::string_view text) { return text.ends_with(": ?"); }

class Looks {
 public:
  HostState look(uint32_t thread) {
    const ThreadNow now = look_at_thread(thread);
    copy_thread(thread, now, cuda_has_started(), &copy_);
    native_[thread] = join_frames(frames(code_.unwind(copy_)));
    return now.state;
  }
  const std::string& native(uint32_t thread) { return native_[thread]; }
  void begin() {
    native_.clear();
    at = ticks();
  }
  uint64_t at = 0;

 private:
  std::vector<std::string> frames(const std::vector<uint64_t>& places) {
    std::vector<std::string> out;
    for (const uint64_t place : places) {
      const NativeFrame& frame = names_.at(place);
      const bool again = !out.empty() && says_nothing(frame.text) && out.back() == frame.text;
      if (!again && frame.file.find("warplens_collect") == std::string_view::npos) out.push_back(frame.text);
    }
    return out;
  }

  ThreadCopy copy_;
  LoadedCode code_;
  NativeNames names_;
  std::map<uint32_t, std::string> native_;  // innermost last
};

/// A sample without a stack counts too: without it, shares of the time would lean to threads that wait, whose stacks
/// can always be copied. Its frame says what the thread did, as one of a library: "no stack: running".
std::string stack_or_state(std::string stack, HostState state) {
  return stack.empty() ? "no stack: " + std::string(host_state_name(state)) : stack;
}

std::mutex looking;

/// With `looking` held; never destroyed, since threads that sample may outlive the program's main function.
Looks& looks() {
  static Looks* const made = new Looks;
  return *made;
}

/// None is delivered on this thread: a program may block one everywhere to wait for it.
void leave_signals_to_program() {
  sigset_t all;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, nullptr);
}

void run(uint32_t period_us) {
  ::pthread_setname_np(::pthread_self(), "warplens-cpu");
  while (!python_samples.load() && sample_threads(nullptr, nullptr, 0, period_us) >= 0) {
  }
}

}  // namespace

/// A look walks the list of loaded libraries, whose lock a child that is forked meanwhile would find taken for ever.
void prepare_host_sampler() {
  prepare_thread_copies();
  ::pthread_atfork([] { looking.lock(); }, [] { looking.unlock(); }, [] { looking.unlock(); });
}

void start_host_sampler(uint64_t period_ns) {
  sigset_t before;  // a thread begins with its maker's
  ::pthread_sigmask(SIG_SETMASK, nullptr, &before);
  leave_signals_to_program();
  std::thread(run, static_cast<uint32_t>(period_ns / 1000)).detach();
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

int sample_threads(const uint32_t* threads, uint8_t* states, int count, uint32_t period_us) {
  leave_signals_to_program();
  if (count > 0) python_samples = true;
  ::usleep(period_us);
  if (!is_running()) return -1;
  if (!is_recording()) return 0;
  const std::lock_guard lock(looking);
  Looks& seen = looks();
  seen.begin();
  for (int i = 0; i < count; ++i) states[i] = static_cast<uint8_t>(seen.look(threads[i]));
  const auto self = static_cast<uint32_t>(::syscall(SYS_gettid));
  for (const uint32_t thread : recorded_threads()) {
    if (thread == self || std::find(threads, threads + count, thread) != threads + count) continue;
    const HostState state = seen.look(thread);
    if (state != HostState::kUnknown) record_sample(thread, state, seen.at, stack_or_state(seen.native(thread), state));
  }
  return 1;
}

void record_python_sample(uint32_t thread, uint8_t state, std::string_view python) {
  const std::lock_guard lock(looking);
  std::string stack(python);
  const std::string& native = looks().native(thread);
  if (!native.empty()) stack += (stack.empty() ? "" : ";") + native;
  const auto was = static_cast<HostState>(state);
  record_sample(thread, was, looks().at, stack_or_state(std::move(stack), was));
}

}  // namespace warplens::collect
