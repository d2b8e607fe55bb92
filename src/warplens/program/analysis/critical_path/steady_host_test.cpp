#include "warplens/program/analysis/critical_path/steady_host.h"

#include <gtest/gtest.h>

#include "warplens/program/analysis/critical_path/hand_overs.h"
#include "warplens/program/analysis/critical_path/simulate.h"
#include "warplens/program/analysis/test_profile.h"

namespace warplens::analysis {
namespace {

Program program_of(const TestProfile& test) {
  const Forest operators = operator_forest(test.profile);
  return build_program(test.profile, operators, link_events(test.profile, operators), find_steps(test.profile).list, 0);
}

/// One step after another, each with `calls` launches that lie `apart` from each other.
TestProfile steps(const std::vector<std::pair<int, int64_t>>& calls_apart) {
  TestProfile test;
  int64_t at = 0, correlation = 0;
  for (size_t step = 0; step < calls_apart.size(); ++step) {
    const auto [calls, apart] = calls_apart[step];
    test.op("main", "ProfilerStep#" + std::to_string(step), at, calls * apart, {OperatorKind::kRange});
    for (int i = 0; i < calls; ++i, at += apart) {
      test.call("main", "cudaLaunchKernel", at + apart - 4 * kUs, 3 * kUs, ++correlation);
      test.kernel("k", at + apart + 2 * kUs, 1 * kUs, correlation);
    }
  }
  return test;
}

TEST(SteadyHost, AColdStepTakesWhatTheWarmOneDoes) {
  const Program warm = program_of(steps({{20, 10 * kUs}, {20, 10 * kUs}})),
                mixed = program_of(steps({{20, 30 * kUs}, {20, 10 * kUs}}));
  EXPECT_NEAR(static_cast<double>(step_time_ns(mixed)), static_cast<double>(step_time_ns(warm)), 3.0 * kUs);
}

TEST(SteadyHost, StepsOfDifferentWorkStayAsTheyAre) {
  const Program program = program_of(steps({{20, 30 * kUs}, {10, 10 * kUs}}));
  EXPECT_GT(step_time_ns(program), 300 * kUs);  // half of 600 + 100, the profiler's cost out
}

TEST(SteadyHost, LongStretchesStay) {
  const Program program = program_of(steps({{3, 600 * kUs}, {3, 700 * kUs}}));
  EXPECT_GT(step_time_ns(program), 1900 * kUs);
}

/// Forward on one thread, backward of `backward_ns` on another `wake_ns` later, and 300 us until the first continues.
TestProfile two_threads(int64_t wake_ns, int64_t backward_ns) {
  TestProfile test;
  const int64_t begin = 100 * kUs + wake_ns, end = begin + backward_ns;
  test.op("main", "ProfilerStep#0", 0, end + 300 * kUs, {OperatorKind::kRange});
  test.op("main", "aten::sum", 0, 100 * kUs);
  test.call("main", "cudaLaunchKernel", 90 * kUs, 5 * kUs, 1);
  test.kernel("k", 100 * kUs, kUs, 1);
  test.op("worker", "SumBackward0", begin, backward_ns);
  test.call("worker", "cudaLaunchKernel", end - 10 * kUs, 5 * kUs, 2);
  test.kernel("k", end, kUs, 2);
  return test;
}

TEST(HandOvers, AreGapsBetweenThreads) {
  const Program program = program_of(two_threads(300 * kUs, 1000 * kUs));
  ASSERT_EQ(program.hand_overs.size(), 2u);
  EXPECT_EQ(program.hand_overs[0].start_ns, 100 * kUs);
  EXPECT_EQ(program.hand_overs[0].end_ns, 400 * kUs);
  EXPECT_EQ(program.hand_overs[1].calls_begin, 1u);  // main slept through the worker's call
  EXPECT_EQ(program.hand_overs[1].calls_end, 2u);
}

TEST(HandOvers, AThreadThatSleepsForLessWakesFaster) {
  const Program program = program_of(two_threads(10 * kUs, 1000 * kUs));
  Change little, much;
  little.host_removed = {{400 * kUs, 500 * kUs}};
  much.host_removed = {{150 * kUs, 1050 * kUs}};  // leaves 100 us of backward
  const auto saved_us = [&](const Change& change) {
    return static_cast<double>(step_time_ns(program) - step_time_ns(program, change)) / kUs;
  };
  EXPECT_NEAR(saved_us(little), 100, 2);
  EXPECT_NEAR(saved_us(much), 900 + 260, 4);  // main sleeps for 110 us and wakes within 40 instead of 300
}

TEST(HandOvers, AWakeUpAfterAShortSleepIsTheProfilers) {
  const Program program = program_of(two_threads(10 * kUs, 300 * kUs));
  EXPECT_LT(step_time_ns(program), 460 * kUs);  // 100 + 10 + 300 + 40
}

}  // namespace
}  // namespace warplens::analysis
