#include "warplens/program/analysis/diff/diff.h"

#include <gmock/gmock.h>

#include <cmath>
#include <map>

#include "warplens/program/analysis/test_profile.h"

namespace warplens::analysis::diff {
namespace {

Diff diff_of(const Profile& base, const Profile& fresh) { return diff_profiles(base, fresh, *class_rules("")); }

/// Three steps of 1000 ns, each with one kernel per entry of `kernels` (name, time), launched one after another.
Profile stepped(const std::vector<std::pair<std::string, int64_t>>& kernels, int64_t jitter_ns = 0) {
  TestProfile test;
  int64_t correlation = 1;
  for (int64_t step = 0; step < 3; ++step) {
    const int64_t begin = step * 1000;
    test.op("main", "ProfilerStep#" + std::to_string(step), begin, 1000, {OperatorKind::kRange});
    int64_t at = begin + 10;
    for (const auto& [name, ns] : kernels) {
      const uint32_t op = test.op("main", "aten::" + name, at, 20);
      test.call("main", "cudaLaunchKernel", at + 5, 10, correlation, test.profile.operators.external_id[op]);
      test.kernel(name, at + 30, ns + step * jitter_ns, correlation++);
      at += 100;
    }
  }
  test.profile.ranks.window_end_ns.at(0) = 3000;
  return std::move(test.profile);
}

TEST(Diff, AProfileAgainstItselfHasNoDifference) {
  const Profile a = stepped({{"mm", 50}, {"add", 20}}), b = stepped({{"mm", 50}, {"add", 20}});
  const Diff diff = diff_of(a, b);
  EXPECT_EQ(diff.wall.change, Change::kSame);
  EXPECT_EQ(diff.wall.base_ns, 1000);
  EXPECT_EQ(diff.busy.base_ns, 70);
  EXPECT_EQ(diff.idle.base_ns, 930);
  for (const Difference& kernel : diff.kernels) EXPECT_EQ(kernel.change, Change::kSame);
}

/// Three steps of 1000 ns: a kernel of 400 ns, and a copy of 300 ns that begins with it, or after it.
Profile copying(bool beside) {
  TestProfile test;
  for (int64_t step = 0; step < 3; ++step) {
    const int64_t begin = step * 1000, id = 1 + 2 * step;
    test.op("main", "ProfilerStep#" + std::to_string(step), begin, 1000, {OperatorKind::kRange});
    test.call("main", "cudaLaunchKernel", begin + 5, 5, id);
    test.call("main", "cudaMemcpyAsync", begin + 15, 5, id + 1);
    test.kernel("mm", begin + 50, 400, id);
    test.kernel("Memcpy HtoD", begin + (beside ? 50 : 450), 300, id + 1, 0, beside ? 8 : 7, DeviceEventKind::kCopy);
  }
  test.profile.ranks.window_end_ns.at(0) = 3000;
  return std::move(test.profile);
}

TEST(Diff, PartsOfAStepShowACopyThatIsHidden) {
  const Diff diff = diff_of(copying(false), copying(true));
  ASSERT_EQ(diff.parts.size(), 2u);
  EXPECT_EQ(diff.parts[0].new_name, "computation");
  EXPECT_EQ(diff.parts[0].difference_ns(), 0);
  EXPECT_EQ(diff.parts[1].new_name, "exposed copies");
  EXPECT_EQ(diff.parts[1].base_ns, 300);
  EXPECT_EQ(diff.parts[1].new_ns, 0);
  double sum_ns = diff.idle.new_ns;
  for (const Difference& part : diff.parts) sum_ns += part.new_ns;
  EXPECT_EQ(sum_ns, diff.wall.new_ns);
}

TEST(Diff, NamesWhatIsAddedRemovedAndSlower) {
  const Diff diff = diff_of(stepped({{"mm", 50}, {"add", 20}}), stepped({{"mm", 80}, {"gelu", 20}}));
  ASSERT_EQ(diff.operators.size(), 3u);
  EXPECT_EQ(diff.operators[0].new_name, "aten::mm");
  EXPECT_EQ(diff.operators[0].change, Change::kSlower);
  EXPECT_EQ(diff.operators[0].difference_ns(), 30);
  std::vector<std::string_view> others = {name(diff.operators[1].change), name(diff.operators[2].change)};
  EXPECT_THAT(others, testing::UnorderedElementsAre("added", "removed"));
}

TEST(Diff, DifferencesOfEachListAddUpToThatOfAllDeviceTime) {
  const Diff diff = diff_of(stepped({{"mm", 50}, {"add", 20}, {"relu", 5}}), stepped({{"mm", 41}, {"gelu", 33}}));
  for (const auto* list : {&diff.operators, &diff.kernels}) {
    double sum = 0;
    for (const Difference& d : *list) sum += d.difference_ns();
    EXPECT_DOUBLE_EQ(sum, (41 + 33) - (50 + 20 + 5));
  }
}

TEST(Diff, SpreadOfTheStepsIsNoise) {
  const Diff diff = diff_of(stepped({{"mm", 50}}, 10), stepped({{"mm", 60}}, 10));
  EXPECT_NEAR(*diff.kernels[0].noise_ns, 2.78 * std::sqrt(2 * 100.0 / 3), 1e-9);  // t of 4 degrees, both sides' errors
  EXPECT_EQ(diff.kernels[0].change, Change::kSame);
  EXPECT_EQ(diff_of(stepped({{"mm", 50}}, 10), stepped({{"mm", 80}}, 10)).kernels[0].change, Change::kSlower);
}

/// Two steps with two kernels of half `kernel_ns` each, one at the step's start and one at its end.
Profile two_steps(int64_t first_step_ns, int64_t second_step_ns, int64_t kernel_ns) {
  TestProfile test;
  int64_t at = 0, step = 0, launch = 0;
  for (const int64_t step_ns : {first_step_ns, second_step_ns}) {
    test.op("main", "ProfilerStep#" + std::to_string(step++), at, step_ns, {OperatorKind::kRange});
    for (const int64_t start : {at + 30, at + step_ns - kernel_ns / 2}) {
      test.call("main", "cudaLaunchKernel", start - 20, 10, ++launch);
      test.kernel("k", start, kernel_ns / 2, launch);
    }
    at += step_ns;
  }
  return std::move(test.profile);
}

TEST(Diff, UnsteadyHostsOfTwoStepsAreNoChange) {
  EXPECT_EQ(diff_of(two_steps(1400, 1100, 100), two_steps(1000, 900, 100)).wall.change, Change::kSame);
}

TEST(Diff, FewStepsChangedWhereTheDevicesWorkDid) {
  const Diff diff = diff_of(two_steps(1400, 1100, 500), two_steps(1000, 700, 200));
  EXPECT_EQ(diff.wall.change, Change::kFaster);
  EXPECT_GT(*diff.wall.noise_ns, 400);
  EXPECT_TRUE(diff.by_device_work);
  EXPECT_EQ(diff_of(two_steps(1400, 1100, 500), two_steps(1000, 1200, 200)).wall.change,
            Change::kSame);  // not every step
}

TEST(Diff, OneStepASideShowsNoNoise) {
  const auto one_step = [](int64_t ns) {
    TestProfile test;
    test.op("main", "ProfilerStep#0", 0, 1000, {OperatorKind::kRange});
    test.op("main", "loader", 100, ns);
    return std::move(test.profile);
  };
  const Diff diff = diff_of(one_step(100), one_step(400));
  EXPECT_FALSE(diff.wall.noise_ns);
  ASSERT_EQ(diff.host.size(), 1u);
  EXPECT_EQ(diff.host[0].new_name, "loader");
  EXPECT_EQ(diff.host[0].difference_ns(), 300);
  EXPECT_TRUE(diff_of(one_step(100), two_steps(1000, 1100, 100)).wall.noise_ns) << "the other side shows some";
}

/// A step with the range "inference" that lasts 900 ns; `inner` is in it, calls an operator and takes `ns` itself.
Profile with_range(const std::string& inner, int64_t ns) {
  TestProfile test;
  test.op("main", "ProfilerStep#0", 0, 1000, {OperatorKind::kRange});
  test.op("main", "inference", 50, 900, {OperatorKind::kRange});
  if (!inner.empty()) test.op("main", inner, 50, ns + 20, {OperatorKind::kRange});
  test.op("main", "aten::mm", 100, 20);
  return std::move(test.profile);
}

TEST(Diff, ARangeThatWasOnlyRenamedIsOneThing) {
  const Diff diff = diff_of(with_range("iteration_1", 400), with_range("iteration_2", 430));
  std::map<std::string, double> changes;
  for (const Difference& d : diff.host) changes[d.base_name + " " + d.new_name] = d.difference_ns();
  EXPECT_THAT(changes, testing::UnorderedElementsAre(testing::Pair("iteration_1 iteration_2", 30),
                                                     testing::Pair("inference inference", -30),
                                                     testing::Pair("aten::mm aten::mm", 0)));
}

TEST(Diff, ARangeThatIsNoLongerMarkedCountsWithTheOneAroundIt) {
  const Diff diff = diff_of(with_range("iteration", 400), with_range("", 0));
  ASSERT_EQ(diff.host.size(), 2u);
  for (const Difference& d : diff.host) EXPECT_EQ(d.difference_ns(), 0) << d.new_name;
  EXPECT_EQ(diff_of(with_range("", 0), with_range("iteration", 400)).host.size(), 2u);
}

TEST(Diff, ARangeThatTakesTimeOfItsOwnWasAdded) {
  TestProfile test;
  test.op("main", "ProfilerStep#0", 0, 1400, {OperatorKind::kRange});
  test.op("main", "inference", 50, 1300, {OperatorKind::kRange});
  test.op("main", "augment", 900, 400, {OperatorKind::kRange});
  test.op("main", "aten::mm", 100, 20);
  const Diff diff = diff_of(with_range("", 0), test.profile);
  ASSERT_EQ(diff.host.size(), 3u);
  EXPECT_EQ(diff.host[0].new_name, "augment");
  EXPECT_EQ(diff.host[0].change, Change::kAdded);
}

TEST(Diff, CallsOfHipAnswerToThoseOfCuda) {
  const auto launching = [](const char* call, int64_t ns) {
    TestProfile test;
    test.op("main", "ProfilerStep#0", 0, 1000, {OperatorKind::kRange});
    test.call("main", call, 100, ns, 1);
    test.kernel("k", 300, 50, 1);
    return std::move(test.profile);
  };
  const Diff diff = diff_of(launching("cudaLaunchKernel", 40), launching("hipLaunchKernel", 100));
  ASSERT_EQ(diff.host.size(), 1u);
  EXPECT_EQ(diff.host[0].base_name + " " + diff.host[0].new_name, "cudaLaunchKernel hipLaunchKernel");
  EXPECT_EQ(diff.host[0].difference_ns(), 60);
}

TEST(Diff, BusyAndIdleMakeUpTheStep) {
  const Diff diff = diff_of(two_steps(1400, 1100, 500), two_steps(1000, 700, 200));
  EXPECT_DOUBLE_EQ(diff.busy.base_ns + diff.idle.base_ns, diff.wall.base_ns);
  EXPECT_DOUBLE_EQ(diff.busy.new_ns + diff.idle.new_ns, diff.wall.new_ns);
}

TEST(Diff, ShapesDoNotDependOnWhiteSpaceAndLongNamesAreBounded) {
  const auto with = [](const char* shapes, const std::string& name) {
    TestProfile test;
    test.op("main", "ProfilerStep#0", 0, 1000, {OperatorKind::kRange});
    test.op("main", "aten::mm", 100, 100, {.shapes = shapes});
    test.call("main", "cudaLaunchKernel", 110, 10, 1, 2);
    test.kernel(name, 200, 50, 1);
    return std::move(test.profile);
  };
  const std::string name(100'000, 'k');
  const Diff diff = diff_of(with("[ [8,  512], [] ]", name), with("[[8, 512], []]", name));
  ASSERT_EQ(diff.operators.size(), 1u);
  EXPECT_EQ(diff.operators[0].new_name, "aten::mm [[8, 512], []]");
  EXPECT_EQ(diff.operators[0].change, Change::kSame);
  EXPECT_LT(diff.kernels[0].new_name.size(), 500u);
}

TEST(Diff, WhatWasLaunchedBeforeTheTraceBelongsToNoStep) {
  Profile with_head = two_steps(1000, 1000, 100);
  TestProfile early;
  early.profile = std::move(with_head);
  early.kernel("left over", 5, 20, 0);
  const Diff diff = diff_of(two_steps(1000, 1000, 100), early.profile);
  EXPECT_EQ(diff.busy.new_ns, 100);
  ASSERT_EQ(diff.kernels.size(), 1u);
}

}  // namespace
}  // namespace warplens::analysis::diff
