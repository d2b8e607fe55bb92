#include "warplens/cuda_api/host_clock.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "warplens/collect/process/clock.h"

namespace warplens::cuda_api {
namespace {

double ran_ns() { return static_cast<double>(collect::clock_ns(CLOCK_THREAD_CPUTIME_ID)); }
double real_ns() { return static_cast<double>(collect::now_ns()); }

/// Uses a processor until this thread has run for so long. A virtual machine's host may take longer, by any time and
/// without a word to the scheduler: no test can give an upper limit but the real time that passed.
void run_for(double ns) {
  const double begin_ns = ran_ns();
  while (ran_ns() < begin_ns + ns) {
  }
}

TEST(HostClock, LeavesOutWhatThreadsWaitForAProcessor) {
  if (!std::filesystem::exists("/proc/thread-self/schedstat")) GTEST_SKIP() << "no statistics of the scheduler";
  std::atomic<bool> ended{false};
  double passed_ns = 0, waited_ns = 0, passed_real_ns = 0;
  std::thread measured([&] {
    cpu_set_t one, all;
    ::sched_getaffinity(0, sizeof all, &all);
    CPU_ZERO(&one);
    CPU_SET(::sched_getcpu(), &one);
    ::sched_setaffinity(0, sizeof one, &one);
    std::thread other([&] {  // on the same processor
      while (!ended) {
      }
    });
    const double begin_real_ns = real_ns();
    HostClock clock;
    const double begin_ns = clock.now_ns();
    for (int i = 0; i < 100; ++i) {
      run_for(1e6);
      passed_ns = clock.now_ns() - begin_ns;
    }
    passed_real_ns = real_ns() - begin_real_ns;
    waited_ns = clock.waited_ns();
    ended = true;
    other.join();
  });
  measured.join();
  EXPECT_GT(passed_ns, 0.98e8) << "what it ran counts";
  EXPECT_GT(waited_ns, 2e7) << "the other thread has about half of the processor";
  EXPECT_LE(passed_ns + waited_ns, passed_real_ns) << "its waits do not count";
}

TEST(HostClock, StandsStillWhileItIsStopped) {
  HostClock clock;
  clock.stop();
  const double stopped_ns = clock.now_ns();
  run_for(5e6);
  EXPECT_EQ(clock.now_ns(), stopped_ns);
  clock.add(1000);
  EXPECT_EQ(clock.now_ns(), stopped_ns + 1000);
  const double going_ns = real_ns();
  clock.go();
  const double after_ns = clock.now_ns();
  EXPECT_LE(after_ns - (stopped_ns + 1000), real_ns() - going_ns) << "the time until go() does not count";
}

/// Between two events of a stream, the host counts where the stream has no work and has ended what it had before.
TEST(HostTime, CountsWhereAStreamHasNoWork) {
  HostTime time;
  const auto record = [&](const Stream* stream, double clock_ns) {
    time.begin_call();
    const double at_ns = time.record(stream, clock_ns);
    time.end_call(0);
    return at_ns;
  };
  const auto* const one = reinterpret_cast<const Stream*>(1);
  const auto* const other = reinterpret_cast<const Stream*>(2);
  double begin_ns = real_ns();
  EXPECT_EQ(record(one, 1000), 1000);
  run_for(5e6);
  const double idle_ns = record(one, 1000) - 1000;
  EXPECT_GT(idle_ns, 4.9e6);
  EXPECT_LE(idle_ns, real_ns() - begin_ns);
  run_for(5e6);
  EXPECT_EQ(record(one, idle_ns + 3000), idle_ns + 3000) << "it had work";
  EXPECT_EQ(record(other, 1e9), 1e9);
  run_for(5e6);
  EXPECT_EQ(record(other, 1e9), 1e9) << "its work of a second has not ended";
  time.begin_call();
  run_for(5e6);  // within the call
  begin_ns = real_ns();
  time.end_call(1e9);
  const double after_ns = record(other, 1e9) - 1e9;
  EXPECT_LE(after_ns, real_ns() - begin_ns) << "the time within the call does not count";
}

}  // namespace
}  // namespace warplens::cuda_api
