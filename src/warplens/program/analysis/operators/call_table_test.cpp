#include "warplens/program/analysis/operators/call_table.h"

#include <gtest/gtest.h>

#include "warplens/program/analysis/test_profile.h"

namespace warplens::analysis {
namespace {

TEST(CallTable, CallsOfOneNameAreARowTheCostliestFirst) {
  TestProfile test;
  test.call("main", "cudaLaunchKernel", 0, 3, 1);
  test.call("main", "cudaLaunchKernel", 10, 5, 2);
  test.call("worker", "cudaLaunchKernel", 20, 4, 3);
  test.call("main", "cudaMalloc", 40, 100, 4);
  const std::vector<CallRow> rows = call_table(test.profile);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].name, "cudaMalloc");
  EXPECT_EQ(rows[0].host_ns, 100);
  EXPECT_EQ(rows[1].name, "cudaLaunchKernel");
  EXPECT_EQ(rows[1].count, 3);
  EXPECT_EQ(rows[1].host_ns, 12);
  EXPECT_EQ(rows[1].median_ns, 4);
  EXPECT_EQ(rows[1].shortest_ns, 3);
  EXPECT_EQ(rows[1].longest_ns, 5);
}

TEST(CallTable, WithoutCallsThereAreNoRows) { EXPECT_TRUE(call_table(Profile()).empty()); }

}  // namespace
}  // namespace warplens::analysis
