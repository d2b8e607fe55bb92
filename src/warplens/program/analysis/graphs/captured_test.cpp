#include "warplens/program/analysis/graphs/captured.h"

#include <gtest/gtest.h>

#include "warplens/program/analysis/operators/operator_table.h"
#include "warplens/program/analysis/test_profile.h"

namespace warplens::analysis {
namespace {

/// A capture of an addmm and a gelu, with a launch before it that is no part of it.
TestProfile captured() {
  TestProfile test;
  TestProfile::Op inputs;
  inputs.shapes = "[[8], [4, 16], [16, 8]]";
  inputs.types = R"(["float", "float", "float"])";
  const uint32_t before = test.op("main", "aten::randn", 0, 50);
  test.call("main", "cudaLaunchKernel", 10, 5, 1, before + 1);
  test.call("main", "cudaStreamBeginCapture", 100, 5, 2);
  const uint32_t product = test.op("main", "aten::addmm", 200, 50, inputs);
  test.call("main", "cudaLaunchKernel", 210, 5, 3, product + 1);
  const uint32_t gelu = test.op("main", "aten::gelu", 300, 50);
  test.call("main", "cudaLaunchKernel", 310, 5, 4, gelu + 1);
  test.call("main", "cudaStreamEndCapture", 400, 5, 5);
  return test;
}

/// `count` kernels of 100 ns each that one graph launch ran, recorded out of order.
TestProfile replayed(int count) {
  TestProfile test;
  const uint32_t step = test.op("main", "model", 0, 1000, {OperatorKind::kRange});
  test.call("main", "cudaGraphLaunch", 10, 5, 1, step + 1);
  for (int i = count; i-- > 0;) test.kernel("kernel" + std::to_string(i), 100 + i * 100, 100, 1, step + 1);
  return test;
}

TEST(ChargeCaptured, KernelsGoToTheOperatorsThatWereCaptured) {
  TestProfile replay = replayed(2);
  const auto charge = charge_captured(replay.profile, captured().profile);
  ASSERT_TRUE(charge.ok()) << charge.status().message();
  EXPECT_EQ(charge->kernels_charged, 2u);
  const OperatorTable table = operator_table(replay.profile, Causes(replay.profile), {.by_shape = true});
  int found = 0;
  for (const OperatorRow& row : table.rows) {
    EXPECT_EQ(row.name.find("CUDA graph"), std::string::npos) << row.name;
    const bool product = row.name == "aten::addmm";
    if (!product && row.name != "aten::gelu") continue;
    ++found;
    EXPECT_EQ(row.self_device_ns, 100);
    EXPECT_EQ(row.flops, product ? 2.0 * 4 * 16 * 8 : 0);
  }
  EXPECT_EQ(found, 2);
}

TEST(ChargeCaptured, OtherGraphsAreNot) {
  TestProfile replay = replayed(3);
  const auto charge = charge_captured(replay.profile, captured().profile);
  ASSERT_FALSE(charge.ok());
  EXPECT_EQ(
      charge.status().message(),
      "the capture's trace has none of this trace's graphs: these run 3 kernels and copies, its captures launched 2");
  EXPECT_FALSE(charge_captured(replay.profile, replayed(2).profile).ok());
  TestProfile eager = captured();
  EXPECT_FALSE(charge_captured(eager.profile, captured().profile).ok());
}

}  // namespace
}  // namespace warplens::analysis
