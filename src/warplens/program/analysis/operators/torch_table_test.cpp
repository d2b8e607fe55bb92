#include "warplens/program/analysis/operators/torch_table.h"

#include <gtest/gtest.h>

#include "warplens/program/analysis/operators/shapes.h"
#include "warplens/program/analysis/operators/torch_print.h"
#include "warplens/program/analysis/test_profile.h"

namespace warplens::analysis {
namespace {

const TorchRow* find(const TorchTable& table, std::string_view name, bool on_device = false) {
  for (const TorchRow& row : table.rows) {
    if (row.name == name && row.on_device == on_device) return &row;
  }
  return nullptr;
}

TEST(TorchTable, MergesAnOnlyChildOfTheSameName) {
  TestProfile t;
  t.op("main", "aten::to", 0, 100);
  const uint32_t inner = t.op("main", "aten::to", 10, 50);
  t.op("main", "aten::copy_", 20, 20);
  t.kernel("copy", 200, 9, 0, inner + 1);
  const TorchTable table = torch_table(t.profile, {});
  const TorchRow* to = find(table, "aten::to");
  ASSERT_NE(to, nullptr);
  EXPECT_EQ(to->count, 1);
  EXPECT_EQ(to->self_cpu_ns, 80);  // 100 without the copy: the inner call is gone
  EXPECT_EQ(to->self_device_ns, 9);
  EXPECT_EQ(table.self_device_ns, 9);
}

TEST(TorchTable, MovesUnlinkedCallsToTheThreadThatStoppedTheProfiler) {
  TestProfile t;
  t.op("1", "aten::mm", 0, 100);  // the process's first thread
  t.op("2", "worker", 0, 500);
  t.call("2", "cudaHostAlloc", 10, 30, 99);
  const TorchTable table = torch_table(t.profile, {});
  EXPECT_EQ(find(table, "aten::mm")->self_cpu_ns, 70);
  EXPECT_EQ(find(table, "worker")->self_cpu_ns, 500);
}

TEST(TorchTable, GivesACallTheKernelsOfTheOperatorThatItsCorrelationIdNames) {
  TestProfile t;
  const uint32_t mm = t.op("1", "aten::mm", 0, 100);
  t.call("1", "cudaDeviceSynchronize", 200, 5, mm + 1);
  t.kernel("gemm", 300, 40, 0, mm + 1);
  EXPECT_EQ(find(torch_table(t.profile, {}), "cudaDeviceSynchronize")->self_device_ns, 40);
}

TEST(TorchTable, SortsByTorchsKeysAndNamesUnknownOnes) {
  TestProfile t;
  t.op("1", "short", 0, 1);
  t.op("1", "long", 10, 10);
  TorchTable table = torch_table(t.profile, {});
  EXPECT_EQ(table.rows[0].name, "short");
  ASSERT_TRUE(sort_torch_rows(table.rows, "cpu_time_total").ok());
  EXPECT_EQ(table.rows[0].name, "long");
  EXPECT_TRUE(sort_torch_rows(table.rows, "self_cuda_time_total").ok());
  EXPECT_FALSE(sort_torch_rows(table.rows, "colour").ok());
  EXPECT_EQ(print_torch_table({}, {}), "");
}

TEST(Shapes, ReadTracesAndPrintAsTorch) {
  EXPECT_EQ(torch_shapes("[[8,512],[],[[4],[2,3]]]"), "[[8, 512], [], []]");
  EXPECT_EQ(torch_shapes(""), "[]");
  EXPECT_FALSE(parse_shapes("[[1, 2]").has_value());
  EXPECT_FALSE(parse_shapes("nonsense").has_value());
  EXPECT_EQ(element_count({}), 1);
}

}  // namespace
}  // namespace warplens::analysis
