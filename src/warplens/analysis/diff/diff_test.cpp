#include "warplens/analysis/diff/diff.h"

#include <gmock/gmock.h>

#include "warplens/analysis/test_profile.h"

namespace warplens::analysis {
namespace {

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
  const Diff diff = diff_profiles(a, b);
  EXPECT_EQ(diff.wall.change, Change::kSame);
  EXPECT_EQ(diff.wall.base_ns, 1000);
  EXPECT_EQ(diff.busy.base_ns, 70);
  EXPECT_EQ(diff.idle.base_ns, 930);
  for (const Difference& kernel : diff.kernels) EXPECT_EQ(kernel.change, Change::kSame);
}

TEST(Diff, NamesWhatIsAddedRemovedAndSlower) {
  const Diff diff = diff_profiles(stepped({{"mm", 50}, {"add", 20}}), stepped({{"mm", 80}, {"gelu", 20}}));
  ASSERT_EQ(diff.operators.size(), 3u);
  EXPECT_EQ(diff.operators[0].new_name, "aten::mm");
  EXPECT_EQ(diff.operators[0].change, Change::kSlower);
  EXPECT_EQ(diff.operators[0].difference_ns(), 30);
  std::vector<std::string_view> others = {name(diff.operators[1].change), name(diff.operators[2].change)};
  EXPECT_THAT(others, testing::UnorderedElementsAre("added", "removed"));
}

TEST(Diff, DifferencesOfEachListAddUpToThatOfAllDeviceTime) {
  const Diff diff = diff_profiles(stepped({{"mm", 50}, {"add", 20}, {"relu", 5}}), stepped({{"mm", 41}, {"gelu", 33}}));
  for (const auto* list : {&diff.operators, &diff.kernels}) {
    double sum = 0;
    for (const Difference& d : *list) sum += d.difference_ns();
    EXPECT_DOUBLE_EQ(sum, (41 + 33) - (50 + 20 + 5));
  }
}

TEST(Diff, SpreadOfTheStepsIsNoise) {
  const Diff diff = diff_profiles(stepped({{"mm", 50}}, 10), stepped({{"mm", 60}}, 10));
  EXPECT_EQ(diff.kernels[0].noise_ns, 20);
  EXPECT_EQ(diff.kernels[0].change, Change::kSame);
}

}  // namespace
}  // namespace warplens::analysis
