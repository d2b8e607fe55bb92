#include "warplens/program/analysis/steps/step_times.h"

#include <gtest/gtest.h>

#include "warplens/program/analysis/test_profile.h"

namespace warplens::analysis {
namespace {

struct Linked {
  explicit Linked(const TestProfile& test) : links(link_events(test.profile, operator_forest(test.profile))) {}
  Links links;
};

/// Three steps of 10 us on the host, each with a kernel of `kernel_us`.
TestProfile steps(int64_t kernel_us) {
  TestProfile test;
  int64_t free_at = 0;
  for (int i = 0; i < 3; ++i) {
    test.op("main", "ProfilerStep#" + std::to_string(i), i * 10 * kUs, 10 * kUs, {OperatorKind::kRange});
    test.call("main", "cudaLaunchKernel", (i * 10 + 1) * kUs, 2 * kUs, i + 1);
    const int64_t start = std::max((i * 10 + 3) * kUs, free_at);
    test.kernel("k", start, kernel_us * kUs, i + 1);
    free_at = start + kernel_us * kUs;
  }
  return test;
}

std::vector<int64_t> lengths(const TestProfile& test) {
  std::vector<int64_t> out;
  for (const StepTime& step : step_times(test.profile, Linked(test).links.event_call, find_steps(test.profile).list))
    out.push_back(step.length_ns() / kUs);
  return out;
}

TEST(StepTimes, OfABusyHostAreItsRanges) { EXPECT_EQ(lengths(steps(2)), (std::vector<int64_t>{10, 10, 10})); }

TEST(StepTimes, OfABusyDeviceEndWithItsWork) { EXPECT_EQ(lengths(steps(30)), (std::vector<int64_t>{33, 30, 30})); }

TEST(StepTimes, WhatWasLaunchedBeforeTheFirstStepIsNotInIt) {
  TestProfile test = steps(30);
  test.kernel("before", -20 * kUs, 22 * kUs, 0);
  EXPECT_EQ(lengths(test), (std::vector<int64_t>{31, 30, 30}));
}

TEST(StepTimes, NorIsWhatTheDeviceStillDidAfterTheHostHadMadeTheStep) {
  TestProfile test = steps(30);
  for (uint32_t row = 0; row < test.profile.device_events.size(); ++row)
    test.profile.device_events.start_ns.at(row) += 100 * kUs;
  test.kernel("before", 40 * kUs, 62 * kUs, 0);  // the host's range of the step ended at 10 us
  EXPECT_EQ(lengths(test), (std::vector<int64_t>{31, 30, 30}));
}

TEST(StepTimes, ARunOfAHostAheadOfABusyDeviceBeginsWithTheDevice) {
  TestProfile test;
  for (int i = 0; i < 20; ++i) {
    test.call("main", "hipLaunchKernel", i * 10 * kUs, 5 * kUs, i + 1);
    test.kernel("k", (150'000 + i * 100) * kUs, 99 * kUs, i + 1);  // earlier work, not recorded, ran until then
  }
  const Span run = run_time(test.profile, Linked(test).links.event_call, 0);
  EXPECT_EQ(run.start_ns, 150'000 * kUs);
  EXPECT_EQ(run.end_ns, 151'999 * kUs);
}

TEST(StepTimes, ASlowFirstLaunchBelongsToTheRun) {
  TestProfile test;
  test.call("main", "hipLaunchKernel", 0, 149'000 * kUs, 1);
  test.kernel("k", 150'000 * kUs, 99 * kUs, 1);
  for (int i = 1; i < 20; ++i) {
    test.call("main", "hipLaunchKernel", (150'000 + i * 10) * kUs, 5 * kUs, i + 1);
    test.kernel("k", (150'000 + i * 100) * kUs, 99 * kUs, i + 1);
  }
  EXPECT_EQ(run_time(test.profile, Linked(test).links.event_call, 0).start_ns, 0);
}

}  // namespace
}  // namespace warplens::analysis
