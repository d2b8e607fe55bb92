#include "warplens/cuda_api/host_clock.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "warplens/base/text.h"
#include "warplens/collect/process/clock.h"

namespace warplens::cuda_api {
namespace {

/// What Linux says of the calling thread: how long it was ready to run but had no processor. 0 where it says nothing.
uint64_t thread_wait_ns() {
  const int file = ::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  std::array<char, 64> text;
  const auto bytes = ::read(file, text.data(), text.size());
  ::close(file);
  const std::string_view all(text.data(), static_cast<size_t>(std::max<ssize_t>(bytes, 0)));
  const size_t second = std::min(all.find(' '), all.size() - 1) + 1;  // the first number is its time on a processor
  uint64_t out = 0;
  std::from_chars(all.data() + second, all.data() + all.size(), out);
  return out;
}

/// A thread's readings of its own clocks.
struct ThreadTimes {
  uint64_t real_ns = 0, ran_ns = 0, waited_ns = 0;

  /// What the thread waited for a processor since the last reading. It is asked for only where the thread did not run
  /// all the time, because the question costs more than most operators.
  uint64_t wait_since_last(uint64_t now_ns) {
    constexpr uint64_t kLeastNs = 5000;
    const uint64_t ran_now_ns = collect::clock_ns(CLOCK_THREAD_CPUTIME_ID);
    const uint64_t away_ns = now_ns - real_ns - std::min(ran_now_ns - ran_ns, now_ns - real_ns);
    const bool first = real_ns == 0;
    real_ns = now_ns;
    ran_ns = ran_now_ns;
    if (!first && away_ns < kLeastNs) return 0;
    const uint64_t before_ns = waited_ns;
    waited_ns = thread_wait_ns();
    return first ? 0 : waited_ns - std::min(before_ns, waited_ns);
  }
};
thread_local ThreadTimes times;

struct CallCost {
  std::string_view part;
  double ns;
};
constexpr CallCost kCallCosts[] = {
#define CALL_COST(part, ns) {part, ns},
#include "warplens/cuda_api/call_costs.def"
#undef CALL_COST
};

}  // namespace

double call_cost_ns(std::string_view call) {
  return std::ranges::find_if(kCallCosts, [&](const CallCost& each) { return contains(call, each.part); })->ns;
}

HostClock::HostClock() : read_ns_(collect::now_ns()) {}

double HostClock::now_ns() {
  if (stopped_) return now_ns_;
  const uint64_t real_ns = std::max(collect::now_ns(), read_ns_), passed_ns = real_ns - read_ns_;
  // A thread may have waited before another one's event moved the clock: no more is taken off than has passed.
  const uint64_t waited_ns = std::min(times.wait_since_last(real_ns), passed_ns);
  now_ns_ += static_cast<double>(passed_ns - waited_ns);
  waited_ns_ += static_cast<double>(waited_ns);
  read_ns_ = std::max(collect::now_ns(), real_ns);  // the questions above are no time of the program
  return now_ns_;
}

void HostClock::stop() {
  (void)now_ns();
  stopped_ = true;
}

void HostClock::go() {
  stopped_ = false;
  read_ns_ = collect::now_ns();
  (void)times.wait_since_last(read_ns_);
  read_ns_ = std::max(collect::now_ns(), read_ns_);
}

void HostTime::begin_call(std::string_view call) {
  if (depth_++ > 0) return;
  // The few instructions between two calls take longer here, in cold caches, than beside a GPU, and another time in
  // each run: they are left out.
  constexpr double kLongNs = 5000;
  clock_.stop();
  const double passed_ns = clock_.now_ns() - read_ns_;
  if (passed_ns >= kLongNs) now_ns_ += passed_ns;
  cost_ns_ = call_cost_ns(call);
}

void HostTime::end_call(double waited_ns) {
  if (--depth_ > 0) return;
  now_ns_ = std::max(now_ns_, waited_ns) + cost_ns_;
  read_ns_ = clock_.now_ns();
  clock_.go();
}

}  // namespace warplens::cuda_api
