#include "warplens/program/analysis/timeline/launches.h"

#include <gmock/gmock.h>

#include "warplens/program/analysis/test_profile.h"

namespace warplens::analysis {
namespace {

/// Two launches at 0 and 100; their kernels start at 200 and 300.
TestProfile two_waiting() {
  TestProfile test;
  test.call("main", "cudaLaunchKernel", 0, 10, 1);
  test.kernel("a", 200, 100, 1);
  test.call("main", "cudaLaunchKernel", 100, 10, 2);
  test.kernel("b", 300, 100, 2);
  return test;
}

TEST(QueueOverTime, IsTheMeanOfEachSlot) {
  const TestProfile test = two_waiting();
  const QueueOverTime queue = queue_over_time(test.profile, Causes(test.profile), 0, 0, 400, 4);
  EXPECT_EQ(queue.slot_ns, 100);
  EXPECT_THAT(queue.depth, testing::ElementsAre(1, 2, 1, 0));
  EXPECT_THAT(queue.latency_ns, testing::ElementsAre(0, 0, 200, 200));
}

TEST(QueueOverTime, SlotsAcrossAChangeHoldTheirShare) {
  const TestProfile test = two_waiting();
  const QueueOverTime queue = queue_over_time(test.profile, Causes(test.profile), 0, 50, 350, 2);
  EXPECT_THAT(queue.depth,
              testing::ElementsAre(testing::DoubleEq((50 * 1 + 100 * 2) / 150.0), testing::DoubleEq(100 * 1 / 150.0)));
}

TEST(QueueOverTime, AddsUpToTheStatisticsMean) {
  const TestProfile test = two_waiting();
  const Causes causes(test.profile);
  const QueueOverTime queue = queue_over_time(test.profile, causes, 0, 0, 400, 7);
  double sum = 0;
  for (const double depth : queue.depth) sum += depth * static_cast<double>(queue.slot_ns);
  EXPECT_NEAR(sum / 400, launch_statistics(test.profile, causes, 0, 0, 400).queue_mean, 1e-9);
}

TEST(LaunchStatistics, CountsKernelsShorterThanTheirLaunch) {
  TestProfile test;
  test.call("main", "cudaLaunchKernel", 0, 10, 1);
  test.kernel("short", 20, 5, 1);
  test.call("main", "cudaLaunchKernel", 30, 10, 2);
  test.kernel("long", 50, 50, 2);
  const LaunchStatistics statistics = launch_statistics(test.profile, Causes(test.profile), 0, 0, 200);
  EXPECT_EQ(statistics.kernels, 2);
  EXPECT_EQ(statistics.shorter_than_launch, 1);
}

}  // namespace
}  // namespace warplens::analysis
