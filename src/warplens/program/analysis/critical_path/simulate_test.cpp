#include "warplens/program/analysis/critical_path/simulate.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "warplens/program/analysis/critical_path/path.h"
#include "warplens/program/analysis/test_profile.h"
#include "warplens/trace/profile/recording_cost.h"

namespace warplens::analysis {
namespace {

struct Built {
  explicit Built(TestProfile& test)
      : operators(operator_forest(test.profile)),
        links(link_events(test.profile, operators)),
        program(build_program(test.profile, operators, links, find_steps(test.profile).list, 0)) {}
  Forest operators;
  Links links;
  Program program;
};

/// `count` launches 10 us apart, each of a kernel of `kernel_ns`, in one step; the host ends at 1000 us.
TestProfile launches(int count, int64_t kernel_ns) {
  TestProfile test;
  test.op("main", "ProfilerStep#1", 0, 1000 * kUs, {OperatorKind::kRange});
  int64_t free_at = 0;
  for (int i = 0; i < count; ++i) {
    const int64_t at = (i + 1) * 10 * kUs;
    test.call("main", "cudaLaunchKernel", at, 3 * kUs, i + 1);
    const int64_t start = std::max(at + 5 * kUs, free_at + 1 * kUs);
    test.kernel("k", start, kernel_ns, i + 1);
    free_at = start + kernel_ns;
  }
  return test;
}

TEST(Simulate, AStepOfABusyDeviceTakesItsKernelsAndTheirGaps) {
  TestProfile test = launches(90, 50 * kUs);
  const Built built(test);
  EXPECT_EQ(step_time_ns(built.program), 90 * 51 * kUs);
}

TEST(Simulate, AStepOfABusyHostTakesTheHostsTime) {
  TestProfile test = launches(90, 1 * kUs);
  const Built built(test);
  const int64_t step = step_time_ns(built.program);
  EXPECT_LT(step, 1000 * kUs);  // the profiler's cost is out
  EXPECT_EQ(step, 1000 * kUs - built.program.recording_ns);
}

TEST(Simulate, TakesOutWhatTheRecorderMeasuredOfItself) {
  TestProfile test = launches(90, 1 * kUs);
  for (int i = 0; i < 90; ++i) test.op("main", "aten::add_", ((i + 1) * 10 - 2) * kUs, 6 * kUs);
  const int64_t guessed = step_time_ns(Built(test).program);
  append(test.profile.metadata, {.key = test.text(kOperatorCost), .value = test.text("0")});
  const int64_t free = step_time_ns(Built(test).program);
  test.profile.metadata.value.at(0) = test.text("500");
  EXPECT_NEAR(static_cast<double>(free - step_time_ns(Built(test).program)), 90 * 500, 500);
  EXPECT_NE(guessed, free);
}

TEST(Simulate, CallsOfAnEmulatedRunHoldNoRecording) {
  TestProfile test = launches(90, 1 * kUs);
  const int64_t guessed = step_time_ns(Built(test).program);
  append(test.profile.metadata, {.key = test.text(kCallCost), .value = test.text("0")});
  EXPECT_GT(step_time_ns(Built(test).program), guessed);
}

TEST(Simulate, RemovingHalfTheHostLeavesHalf) {
  TestProfile test = launches(90, 1 * kUs);
  const Built built(test);
  Change change;
  change.host_removed = {{0, 500 * kUs}};
  EXPECT_NEAR(static_cast<double>(step_time_ns(built.program, change)),
              static_cast<double>(step_time_ns(built.program)) / 2, 20.0 * kUs);
}

TEST(Simulate, ShorterKernelsHelpOnlyABusyDevice) {
  TestProfile slow = launches(90, 50 * kUs), fast = launches(90, 1 * kUs);
  const Built device(slow), host(fast);
  Change change;
  for (uint32_t row = 0; row < 90; ++row) change.event_duration.emplace_back(row, 500);
  EXPECT_LT(step_time_ns(device.program, change), step_time_ns(device.program) / 4);
  EXPECT_EQ(step_time_ns(host.program, change), step_time_ns(host.program));
}

/// A synchronization after each of ten kernels.
TestProfile synchronized() {
  TestProfile test;
  test.op("main", "ProfilerStep#1", 0, 1100 * kUs, {OperatorKind::kRange});
  for (int i = 0; i < 10; ++i) {
    const int64_t at = 10 * kUs + i * 100 * kUs;
    test.call("main", "cudaLaunchKernel", at, 3 * kUs, 2 * i + 1);
    test.kernel("k", at + 5 * kUs, 60 * kUs, 2 * i + 1);
    test.call("main", "cudaStreamSynchronize", at + 4 * kUs, 63 * kUs, 2 * i + 2);
  }
  return test;
}

TEST(Simulate, WithoutSynchronizationHostAndDeviceOverlap) {
  TestProfile test = synchronized();
  const Built built(test);
  Change change;
  for (const ProgramCall& call : built.program.calls) {
    if (call.blocks()) change.calls_not_waiting.push_back(call.row);
  }
  EXPECT_EQ(change.calls_not_waiting.size(), 10U);
  EXPECT_EQ(step_time_ns(built.program, change), 10 * (60 + 1) * kUs);  // kernels back to back
  EXPECT_GT(step_time_ns(built.program), 1000 * kUs);
}

TEST(CriticalPath, AddsUpToTheRun) {
  for (int which = 0; which < 3; ++which) {
    TestProfile test = which == 0 ? synchronized() : launches(90, which == 1 ? 50 * kUs : 1 * kUs);
    const Built built(test);
    const CriticalPath path = critical_path(test.profile, built.program);
    int64_t sum = 0;
    for (const PathSegment& segment : path.segments) sum += segment.duration_ns;
    EXPECT_EQ(sum, path.total_ns);
  }
}

TEST(CriticalPath, OfABusyDeviceIsKernels) {
  TestProfile test = launches(90, 50 * kUs);
  const Built built(test);
  const CriticalPath path = critical_path(test.profile, built.program);
  int64_t kernels = 0;
  for (const PathSegment& segment : path.segments)
    kernels += segment.kind == PathKind::kKernel ? segment.duration_ns : 0;
  EXPECT_EQ(kernels, 90 * 50 * kUs);
}

}  // namespace
}  // namespace warplens::analysis
