#include "warplens/cuda_api/host_clock.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <string_view>

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
  uint64_t read_ns = 0;                             // the last reading of any kind
  uint64_t real_ns = 0, ran_ns = 0, waited_ns = 0;  // when Linux was last asked

  /// What the thread waited for a processor since the last reading. Linux is asked only after a while in which a wait
  /// fits, and for the wait itself only where the thread did not run all the time: both questions cost more than most
  /// operators, and leave the processor's caches cold.
  uint64_t wait_since_last(uint64_t now_ns) {
    constexpr uint64_t kLeastNs = 5000;
    const bool first = read_ns == 0, too_short = now_ns - read_ns < kLeastNs;
    read_ns = now_ns;
    if (too_short) return 0;
    const uint64_t ran_now_ns = collect::clock_ns(CLOCK_THREAD_CPUTIME_ID);
    const uint64_t away_ns = now_ns - real_ns - std::min(ran_now_ns - ran_ns, now_ns - real_ns);
    real_ns = now_ns;
    ran_ns = ran_now_ns;
    if (!first && away_ns < kLeastNs) return 0;
    const uint64_t before_ns = waited_ns;
    waited_ns = thread_wait_ns();
    return first ? 0 : waited_ns - std::min(before_ns, waited_ns);
  }
};
thread_local ThreadTimes times;

}  // namespace

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

/// Each stream's last event: its time, and the host's when it was recorded.
struct HostTime::Records {
  struct Last {
    double at_ns = -1, host_ns = 0;
  };
  std::map<const Stream*, Last> last;
};

HostTime::HostTime() : records_(std::make_unique<Records>()) {}
HostTime::~HostTime() = default;

void HostTime::begin_call() {
  if (depth_++ == 0) clock_.stop();
}

void HostTime::end_call(double waited_ns) {
  if (--depth_ > 0) return;
  if (waited_ns > waited_ns_) {
    waited_ns_ = waited_ns;
    waited_at_ns_ = clock_.now_ns();
  }
  clock_.go();
}

double HostTime::record(const Stream* stream, double clock_ns) {
  Records::Last& last = records_->last[stream];
  const double now_ns = clock_.now_ns(), work_ends_ns = waited_at_ns_ + std::max(clock_ns - waited_ns_, 0.0);
  const bool had_work = clock_ns != last.at_ns;
  const double idle_ns = had_work ? 0 : std::max(now_ns - std::max(work_ends_ns, last.host_ns), 0.0);
  last = {clock_ns + idle_ns, now_ns};
  return last.at_ns;
}

}  // namespace warplens::cuda_api
