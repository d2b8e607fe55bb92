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

/// Calls take their cost on any computer, long code takes its time, and the few instructions between two calls none.
TEST(HostTime, CountsCallsAndLongCode) {
  HostTime time;
  time.begin_call("cudaLaunchKernel");
  const double begin_ns = time.arrival_ns();
  time.end_call(0);
  time.begin_call("cudaLaunchKernel");
  time.begin_call("cudaMalloc");  // within the call: no cost of its own
  run_for(1e6);
  time.end_call(0);
  EXPECT_EQ(time.arrival_ns(), begin_ns + call_cost_ns("cudaLaunchKernel"));
  time.end_call(0);
  run_for(5e6);
  time.begin_call("cudaEventRecord");
  EXPECT_NEAR(time.arrival_ns() - begin_ns, 5e6, 3e6);
  time.end_call(1e9);  // it waited
  time.begin_call("cudaEventRecord");
  EXPECT_GE(time.arrival_ns(), 1e9);
  time.end_call(0);
}

}  // namespace
}  // namespace warplens::cuda_api
