#include "warplens/base/threads.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "warplens/base/text.h"

namespace warplens {
namespace {

/// A thread that waits for its next piece of work: waking it takes half the time of starting one.
class Helper {
 public:
  Helper() {
    std::thread([this] { serve(); }).detach();
  }
  void start(const std::function<void()>& work) {
    work_ = &work;
    state_.store(State::kAsked, std::memory_order_release);
    state_.notify_all();
  }
  /// Returns when the work is done, or will not be: where the thread has not begun with it, which on a busy machine
  /// takes long, nothing is left to do.
  void finish() {
    State asked = State::kAsked;
    if (state_.compare_exchange_strong(asked, State::kIdle, std::memory_order_acq_rel)) return;
    state_.wait(State::kWorks, std::memory_order_acquire);
  }

 private:
  enum class State : int { kIdle, kAsked, kWorks };
  [[noreturn]] void serve() {
    for (;;) {
      state_.wait(State::kIdle, std::memory_order_acquire);
      State asked = State::kAsked;
      if (!state_.compare_exchange_strong(asked, State::kWorks, std::memory_order_acq_rel)) continue;
      (*work_)();
      state_.store(State::kIdle, std::memory_order_release);
      state_.notify_all();
    }
  }

  std::atomic<State> state_{State::kIdle};
  const std::function<void()>* work_ = nullptr;
};

/// Helpers that have nothing to do. They are never ended: a process may exit while some work.
class Pool {
 public:
  static Pool& of_process() {
    static const int forgets = pthread_atfork(nullptr, nullptr, [] { current.store(new Pool); });
    (void)forgets;
    Pool* pool = current.load();
    if (pool) return *pool;
    auto* made = new Pool;
    if (current.compare_exchange_strong(pool, made)) return *made;
    delete made;
    return *pool;
  }

  /// Each belongs to the caller until it is given back. What is missing is started; where the system gives no more
  /// threads, there are fewer.
  std::vector<Helper*> take(size_t count) {
    std::vector<Helper*> taken;
    taken.reserve(count);
    const std::lock_guard lock(mutex_);
    try {
      for (; idle_.size() < count; ++started_) {
        idle_.reserve(started_ + 1);  // so that giving back needs no memory
        idle_.push_back(std::make_unique<Helper>().release());
      }
    } catch (const std::system_error&) {
    }
    for (; taken.size() < count && !idle_.empty(); idle_.pop_back()) taken.push_back(idle_.back());
    return taken;
  }
  void give_back(const std::vector<Helper*>& helpers) {
    const std::lock_guard lock(mutex_);
    idle_.insert(idle_.end(), helpers.begin(), helpers.end());
  }

 private:
  static std::atomic<Pool*> current;  // of this process: a forked one has none of its parent's threads
  std::mutex mutex_;
  std::vector<Helper*> idle_;
  size_t started_ = 0;
};
std::atomic<Pool*> Pool::current{nullptr};

}  // namespace

size_t default_threads() {
  if (const char* wanted = std::getenv("WARPLENS_THREADS")) {
    if (const auto n = parse_int(wanted); n && *n > 0) return static_cast<size_t>(*n);
  }
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return static_cast<size_t>(std::max(1, CPU_COUNT(&set)));
  return std::max(1u, std::thread::hardware_concurrency());
}

void parallel_for(size_t count, size_t threads, const std::function<void(size_t)>& body) {
  std::atomic<size_t> next{0};
  std::mutex mutex;
  std::exception_ptr thrown;  // the first, for the caller: memory may run out in any thread
  const std::function<void()> work = [&] {
    try {
      for (size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;) body(i);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!thrown) thrown = std::current_exception();
      next = count;
    }
  };
  const size_t helpers = std::min(threads, count) > 1 ? std::min(threads, count) - 1 : 0;
  const std::vector<Helper*> taken = helpers ? Pool::of_process().take(helpers) : std::vector<Helper*>{};
  for (Helper* helper : taken) helper->start(work);
  work();
  for (Helper* helper : taken) helper->finish();
  if (helpers) Pool::of_process().give_back(taken);
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace warplens
