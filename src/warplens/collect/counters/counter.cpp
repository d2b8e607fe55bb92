#include "warplens/collect/counters/counter.h"

#include <pthread.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <vector>

#include "warplens/collect/counters/launch_counter.h"
#include "warplens/collect/cupti/calls.h"
#include "warplens/collect/process/journal.h"

namespace warplens::collect {
namespace {

LaunchCounter* counter = nullptr;  // never destroyed: threads may launch while the process ends
std::atomic<bool> active{false};
std::atomic<uint32_t> threads_in_range{0};
std::atomic<bool> between_profiler_calls{false};

/// The NVTX ranges that a thread has pushed.
struct ThreadRanges {
  std::vector<bool> chosen;  // of those open: whether their name is the chosen one
  uint32_t open = 0;         // of them
  bool any = false;          // it pushed one at some time, of whatever name
  ~ThreadRanges() { threads_in_range -= open > 0; }
};
thread_local ThreadRanges ranges;

void in_forked_child() { active.store(false); }

void create_counter() {
  counter = new LaunchCounter(count_settings_from_environment());
  if (const std::string problem = counter->attach(); !problem.empty())
    return tell_journal(count_settings_from_environment().journal, "refused", problem);
  active.store(true);
  ::pthread_atfork(nullptr, nullptr, in_forked_child);
  std::atexit(stop_counter);
}

}  // namespace

bool launches_in_range() { return ranges.open > 0 || between_profiler_calls || (!ranges.any && threads_in_range > 0); }

bool counting_is_asked() { return std::getenv(kCountOutputVariable) != nullptr; }

void attach_counter() {
  static std::once_flag once;
  std::call_once(once, create_counter);
}

void count_host_event(HostEvent event, std::string_view text) {
  if (!active.load(std::memory_order_acquire) || !counter->wants_ranges()) return;
  if (event == HostEvent::kPush) {
    ranges.any = true;
    ranges.chosen.push_back(counter->is_range(text));
    if (!ranges.chosen.back() || ranges.open++ > 0) return;
    ++threads_in_range;
    counter->open_range(text);
  } else if (event == HostEvent::kPop && !ranges.chosen.empty()) {
    const bool ends = ranges.chosen.back() && --ranges.open == 0;
    ranges.chosen.pop_back();
    if (!ends) return;
    --threads_in_range;
    counter->close_range();
  }
}

void count_profiler_call(bool begins) {
  if (!active.load(std::memory_order_acquire) || between_profiler_calls.exchange(begins) == begins) return;
  if (begins) counter->open_range(cupti::kProfilerRange);
  else counter->close_range();
}

void stop_counter() {
  if (active.exchange(false)) counter->stop();
}

void end_counting() {
  if (active.exchange(false)) counter->leave();
}

bool begin_counting() {
  if (active.load()) return false;
  const CountSettings settings = count_settings_from_environment();
  std::string problem;
  if (counter == nullptr) {
    counter = new LaunchCounter(settings);
    problem = counter->attach_late();
    ::pthread_atfork(nullptr, nullptr, in_forked_child);
    std::atexit(stop_counter);
  } else {
    problem = counter->resume(settings);
  }
  if (!problem.empty()) tell_journal(settings.journal, "refused", problem);
  active.store(problem.empty());
  return problem.empty();
}

}  // namespace warplens::collect
