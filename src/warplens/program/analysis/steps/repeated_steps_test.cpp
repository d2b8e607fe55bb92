#include "warplens/program/analysis/steps/repeated_steps.h"

#include <gtest/gtest.h>

#include "warplens/program/analysis/test_profile.h"
#include "warplens/trace/profile/recording_cost.h"

namespace warplens::analysis {
namespace {

constexpr int64_t kMicrosecondNs = 1000;

TEST(Repetition, IsTheLongestStretchOfEqualTurns) {
  const Repetition found = find_repetition({9, 8, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 7});
  EXPECT_EQ(found.begin, 2u);
  EXPECT_EQ(found.end, 14u);
  EXPECT_EQ(found.period, 3u);
  EXPECT_EQ(find_repetition({1, 1, 1, 1, 1, 1}).period, 1u);
  EXPECT_EQ(find_repetition({1, 1, 2, 1, 1, 2, 1, 1, 2}).period, 3u) << "a turn may have a launch twice";
}

TEST(Repetition, IsNoneWhereMostOfTheWorkDiffers) {
  EXPECT_EQ(find_repetition({}).period, 0u);
  EXPECT_EQ(find_repetition({1, 2, 3, 4, 5, 6}).period, 0u);
  EXPECT_EQ(find_repetition({1, 2, 1, 2, 3, 4}).period, 0u) << "two turns are no loop";
  EXPECT_EQ(find_repetition({1, 2, 3, 4, 5, 5, 5, 6, 7, 8, 9, 10}).period, 0u);
}

/// `turns` of a copy and a kernel, `turn_us` each.
TestProfile program(int turns, int64_t turn_us) {
  TestProfile test;
  uint32_t id = 0;
  for (int turn = 0; turn < turns; ++turn) {
    for (const std::string_view kernel : {"scale(float*)", "sum(float*)"}) {
      const int64_t at_ns = (turn * turn_us + (id % 2) * turn_us / 2) * kMicrosecondNs;
      test.call("main", "cuLaunchKernel", at_ns, 2 * kMicrosecondNs, ++id);
      test.kernel(kernel, at_ns + 5 * kMicrosecondNs, 2 * kMicrosecondNs, id);
    }
  }
  return test;
}

TEST(RepeatedSteps, AreTurnsOfAProgramWithoutOperators) {
  const TestProfile test = program(8, 4000);
  const std::vector<Step> steps = repeated_steps(test.profile, 0);
  ASSERT_EQ(steps.size(), 8u);
  EXPECT_EQ(steps[3].end_ns - steps[3].start_ns, 4000 * kMicrosecondNs);
}

TEST(RepeatedSteps, HoldSeveralShortTurns) {
  const TestProfile test = program(600, 10);
  const std::vector<Step> steps = repeated_steps(test.profile, 0);
  ASSERT_EQ(steps.size(), 6u);
  EXPECT_EQ(steps[0].end_ns - steps[0].start_ns, 1000 * kMicrosecondNs);
  EXPECT_TRUE(repeated_steps(program(200, 10).profile, 0).empty()) << "two milliseconds are an excerpt";
}

TEST(RepeatedSteps, AreTurnsOfTheDeviceWhereTheHostHandsAllOverAtOnce) {
  TestProfile test;
  for (int turn = 0; turn < 20; ++turn) {
    test.call("main", "cuLaunchKernel", turn * 10 * kMicrosecondNs, 2 * kMicrosecondNs, turn + 1);
    test.kernel("filter(float*)", (20 + turn * 2000) * kMicrosecondNs, 1900 * kMicrosecondNs, turn + 1);
  }
  EXPECT_EQ(repeated_steps(test.profile, 0).size(), 20u) << "launches of 10 us each, work of 2 ms";
}

TEST(RepeatedSteps, OfAProgramWithOperatorsNeedARecordingOfModulesWithoutAny) {
  TestProfile test = program(8, 4000);
  test.op("main", "aten::add", 0, kMicrosecondNs);
  EXPECT_TRUE(repeated_steps(test.profile, 0).empty()) << "nobody looked for modules: these may be layers";
  append(test.profile.metadata, {.key = test.text(kModuleCost), .value = test.text("500")});
  EXPECT_EQ(repeated_steps(test.profile, 0).size(), 8u);
}

}  // namespace
}  // namespace warplens::analysis
