#include "warplens/cuda_api/host_clock.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "warplens/collect/process/clock.h"

namespace warplens::cuda_api {
namespace {

/// Uses a processor until this thread has run for so long.
void run_for(double ns) {
  const auto begin = static_cast<double>(collect::clock_ns(CLOCK_THREAD_CPUTIME_ID));
  while (static_cast<double>(collect::clock_ns(CLOCK_THREAD_CPUTIME_ID)) < begin + ns) {
  }
}

TEST(HostClock, LeavesOutWhatThreadsWaitForAProcessor) {
  if (!std::filesystem::exists("/proc/thread-self/schedstat")) GTEST_SKIP() << "no statistics of the scheduler";
  std::atomic<bool> ended{false};
  double passed_ns = 0, waited_ns = 0;
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
    HostClock clock;
    const double begin_ns = clock.now_ns();
    for (int i = 0; i < 100; ++i) {
      run_for(1e6);
      passed_ns = clock.now_ns() - begin_ns;
    }
    waited_ns = clock.waited_ns();
    ended = true;
    other.join();
  });
  measured.join();
  EXPECT_NEAR(passed_ns / 1e8, 1, 0.2);
  EXPECT_GT(waited_ns, 2e7);  // the other thread has about half of the processor
}

TEST(HostClock, StandsStillWhileItIsStopped) {
  HostClock clock;
  clock.stop();
  const double stopped_ns = clock.now_ns();
  run_for(5e6);
  EXPECT_EQ(clock.now_ns(), stopped_ns);
  clock.add(1000);
  EXPECT_EQ(clock.now_ns(), stopped_ns + 1000);
  clock.go();
  EXPECT_LT(clock.now_ns(), stopped_ns + 1000 + 4e6);
}

}  // namespace
}  // namespace warplens::cuda_api
