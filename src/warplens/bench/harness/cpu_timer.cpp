#include "warplens/bench/harness/cpu_timer.h"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <limits>

#include "warplens/base/timing.h"
#include "warplens/bench/results/results.h"

namespace warplens::bench {
namespace {

constexpr double kShortestSampleNs = 50e3;
constexpr int64_t kPatienceNs = 2'000'000;

/// The smallest step seen between two readings of the clock.
double clock_step_ns() {
  int64_t step = std::numeric_limits<int64_t>::max();
  for (int i = 0; i < 1000; ++i) {
    const int64_t begin = monotonic_ns();
    int64_t end = begin;
    while (end == begin) end = monotonic_ns();
    step = std::min(step, end - begin);
  }
  return static_cast<double>(step);
}

int64_t process_cpu_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

CpuTimer::CpuTimer() : resolution_ns_(clock_step_ns()) {}

std::string_view CpuTimer::source() const { return kCpu; }

void CpuTimer::evict_caches() {
  if (evictor_.empty()) {
    // Twice the last cache, but no more than 32 MB: one of hundreds of MB is shared, and walking it takes 100 ms a
    // sample.
    const long cache = ::sysconf(_SC_LEVEL3_CACHE_SIZE);
    evictor_.resize(2 * std::clamp<size_t>(cache > 0 ? static_cast<size_t>(cache) : 0, 4 << 20, 16 << 20));
  }
  for (size_t i = 0; i < evictor_.size(); i += 64) ++evictor_[i];
}

Status CpuTimer::warm_up(const Work& work, Regime regime, double seconds) {
  const int64_t begin = monotonic_ns();
  const auto budget = static_cast<int64_t>(seconds * 1e9);
  int64_t calls = 0, now = begin;
  do {
    WL_TRY(work.run(nullptr));
    ++calls;
    now = monotonic_ns();
  } while (now - begin < budget);
  // A cold sample is one call, since the second would find its data in the cache.
  const double one_ns = std::max(1.0, static_cast<double>(now - begin) / static_cast<double>(calls));
  calls_ = regime == Regime::kCold ? 1 : std::max<size_t>(1, static_cast<size_t>(kShortestSampleNs / one_ns));
  return {};
}

Status CpuTimer::take(const Work& work, Regime regime, size_t count, std::vector<Sample>& samples) {
  for (size_t i = 0; i < count; ++i) {
    if (regime == Regime::kCold) evict_caches();
    if (regime == Regime::kWarm) WL_TRY(work.run(nullptr));
    const int64_t begin = monotonic_ns();
    for (size_t c = 0; c < calls_; ++c) WL_TRY(work.run(nullptr));
    const double ns = static_cast<double>(monotonic_ns() - begin) / static_cast<double>(calls_);
    samples.push_back({ns, ns, 0, 0});
  }
  return {};
}

Result<Sample> CpuTimer::take_one(const Work& work) {
  evict_caches();
  const int64_t begin = monotonic_ns();
  WL_TRY(work.run(nullptr));
  const auto ns = static_cast<double>(monotonic_ns() - begin);
  return Sample{ns, ns, 0, 0};
}

Result<double> CpuTimer::time_left_running(const Work& work) {
  WL_TRY(work.run(nullptr));
  // Nothing of ours runs while this thread sleeps: CPU time that the process uses then is the call's.
  const int64_t used = process_cpu_ns();
  timespec nap{0, kPatienceNs};
  ::nanosleep(&nap, nullptr);
  const int64_t after = process_cpu_ns() - used;
  return after > kPatienceNs / 4 ? static_cast<double>(after) : 0.0;
}

}  // namespace warplens::bench
