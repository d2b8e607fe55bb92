#include "warplens/counters/merge_runs.h"

#include <gtest/gtest.h>

namespace warplens::counters {
namespace {

Counts run_of(std::vector<std::string> metrics, std::vector<std::pair<std::string, double>> launches) {
  Counts out;
  CountedDevice device{.passes = 1, .metrics = metrics};
  device.units.assign(metrics.size(), "byte");
  out.devices.push_back(device);
  for (const auto& [kernel, value] : launches)
    out.launches.push_back({.kernel = kernel, .values = std::vector<std::optional<double>>(metrics.size(), value)});
  return out;
}

TEST(MergeRuns, MetricsOfOtherRunsJoinTheirLaunches) {
  Counts all = run_of({"a.sum", "b.sum"}, {{"f", 1}, {"g", 2}, {"f", 3}});
  EXPECT_EQ(merge_run(&all, run_of({"c.sum", "a.sum"}, {{"f", 10}, {"f", 30}, {"g", 20}})), 0U);
  EXPECT_EQ(all.devices[0].metrics, (std::vector<std::string>{"a.sum", "b.sum", "c.sum"}));
  EXPECT_EQ(all.devices[0].passes, 2);
  EXPECT_EQ(all.launches[0].values, (std::vector<std::optional<double>>{1, 1, 10}));
  EXPECT_EQ(all.launches[1].values, (std::vector<std::optional<double>>{2, 2, 20}));
  EXPECT_EQ(all.launches[2].values, (std::vector<std::optional<double>>{3, 3, 30}));
}

TEST(MergeRuns, LaunchesThatOneRunLacksStayWithout) {
  Counts all = run_of({"a.sum"}, {{"f", 1}, {"f", 2}});
  EXPECT_EQ(merge_run(&all, run_of({"c.sum"}, {{"f", 10}})), 1U);
  EXPECT_EQ(all.launches[1].values, (std::vector<std::optional<double>>{2, std::nullopt}));
}

}  // namespace
}  // namespace warplens::counters
