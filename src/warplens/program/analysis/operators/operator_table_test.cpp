#include "warplens/program/analysis/operators/operator_table.h"

#include <gtest/gtest.h>

#include "warplens/program/analysis/operators/cause_table.h"
#include "warplens/program/analysis/operators/flops.h"
#include "warplens/program/analysis/test_profile.h"

namespace warplens::analysis {
namespace {

const OperatorRow* find(const OperatorTable& table, std::string_view name) {
  for (const OperatorRow& row : table.rows) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

/// A forward operator with a recursive call and its backward on another thread, a graph, and a kernel from before.
TestProfile example() {
  TestProfile t;
  t.op("main", "forward", 0, 100, {.kind = OperatorKind::kRange});
  const uint32_t outer = t.op("main", "aten::linear", 10, 60, {.sequence = 3});
  const uint32_t inner = t.op("main", "aten::linear", 20, 40, {.sequence = 3});
  t.op("engine", "autograd::engine::evaluate_function: AddmmBackward0", 200, 50, {.sequence = 3, .forward_thread = 1});
  const uint32_t mm = t.op("engine", "aten::mm", 210, 20);
  t.call("main", "cudaGraphLaunch", 120, 5, 9);
  t.kernel("gemm", 1000, 100, 0, inner + 1);
  t.kernel("copy", 1100, 10, 0, outer + 1);
  t.kernel("gemm", 1200, 70, 0, mm + 1);
  t.kernel("in a graph", 1300, 7, 9);
  t.kernel("early", 5, 3, 77);
  t.kernel("forward", 1000, 110, 0, 1, 7, DeviceEventKind::kRange);
  return t;
}

TEST(OperatorTable, PutsEveryDeviceNanosecondInOneRow) {
  const TestProfile t = example();
  const OperatorTable table = operator_table(t.profile, Causes(t.profile), {});
  EXPECT_EQ(table.device_ns, 190);
  EXPECT_EQ(table.root_cpu_ns, 150);  // the two outermost spans
  const OperatorRow* linear = find(table, "aten::linear");
  ASSERT_NE(linear, nullptr);
  EXPECT_EQ(linear->count, 2);
  EXPECT_EQ(linear->cpu_ns, 60);  // the inner call is inside the outer one
  EXPECT_EQ(linear->self_cpu_ns, 60);
  EXPECT_EQ(linear->device_ns, 110);
  EXPECT_EQ(linear->kernels, 2);
  ASSERT_NE(find(table, "CUDA graph > in a graph"), nullptr);
  ASSERT_NE(find(table, "(launch not in the trace) > early"), nullptr);
  EXPECT_EQ(find(table, "forward")->kind, RowKind::kRange);
  EXPECT_EQ(find(table, "forward")->self_device_ns, 0);
  EXPECT_EQ(find(table, "forward")->device_ns, 110);
}

TEST(CauseTable, ChargesBackwardToTheForwardAnnotationAndAddsUp) {
  const TestProfile t = example();
  const Causes causes(t.profile);
  const ClassRules rules = class_rules("").value();
  const Classes classes = classify(t.profile, causes.links.event_operator, rules);
  for (const CauseBy by : {CauseBy::kModule, CauseBy::kLine, CauseBy::kAnnotation, CauseBy::kKernel, CauseBy::kClass}) {
    int64_t sum = 0;
    for (const CauseRow& row : cause_table(t.profile, causes, classes, rules, by, 0).rows) {
      EXPECT_EQ(row.device_ns, row.forward_ns + row.backward_ns);
      sum += row.device_ns;
    }
    EXPECT_EQ(sum, 190);
  }
  const CauseTable table = cause_table(t.profile, causes, classes, rules, CauseBy::kAnnotation, 0);
  EXPECT_EQ(table.rows[0].name, "forward");
  EXPECT_EQ(table.rows[0].forward_ns, 110);
  EXPECT_EQ(table.rows[0].backward_ns, 70);
  EXPECT_NE(cause_table(t.profile, causes, classes, rules, CauseBy::kModule, 0).missing, "");
}

double flops_of(std::string_view name, std::string_view shapes, std::string_view concrete = {}) {
  TestProfile t;
  return useful_flops(t.profile, t.op("main", name, 0, 1, {.shapes = shapes, .concrete = concrete})).value_or(-1);
}

TEST(UsefulFlops, CountMatrixProductsAttentionAndConvolution) {
  EXPECT_EQ(flops_of("aten::mm", "[[2, 3], [3, 5]]"), 2 * 2 * 3 * 5);
  EXPECT_EQ(flops_of("aten::addmm", "[[5], [2, 3], [3, 5], [], []]"), 2 * 2 * 3 * 5);
  EXPECT_EQ(flops_of("aten::bmm", "[[7, 2, 3], [7, 3, 5]]"), 7 * 2 * 2 * 3 * 5);
  EXPECT_EQ(flops_of("aten::mul", "[[2, 3], [2, 3]]"), -1);
  EXPECT_EQ(flops_of("aten::mm", ""), -1);
  const char* q = "[[2, 4, 8, 16], [2, 4, 8, 16], [2, 4, 8, 16], [], [], [], []]";
  const double full = 2.0 * 2 * 4 * 8 * 8 * 32;
  EXPECT_EQ(flops_of("aten::_scaled_dot_product_flash_attention", q, R"(["", "", "", "0.", "False", "False", ""])"),
            full);
  EXPECT_EQ(flops_of("aten::_scaled_dot_product_flash_attention", q, R"(["", "", "", "0.", "True", "False", ""])"),
            full * 36 / 64);
  EXPECT_EQ(flops_of("aten::_scaled_dot_product_flash_attention_backward",
                     "[[2, 4, 8, 16], [2, 4, 8, 16], [2, 4, 8, 16], [2, 4, 8, 16]]"),
            2.5 * full);
  EXPECT_EQ(flops_of("aten::convolution", "[[1, 3, 8, 8], [6, 3, 3, 3], [], [], [], [], [], [], []]",
                     R"(["", "", "", "[1, 1]", "[1, 1]", "[1, 1]", "False", "[0, 0]", "1"])"),
            2.0 * 6 * 8 * 8 * 3 * 9);
}

}  // namespace
}  // namespace warplens::analysis
