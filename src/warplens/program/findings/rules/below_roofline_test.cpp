#include <gtest/gtest.h>

#include "warplens/program/analysis/test_profile.h"
#include "warplens/program/findings/test_findings.h"

namespace warplens::findings {
namespace {

using analysis::TestProfile;

/// Ten products of 16 bits, 4096 x 4096 x 4096 on an H200: 137 GFLOP, 214 us at 65 % of its peak.
Report products(int64_t each_us) {
  TestProfile test;
  test.op("main", "ProfilerStep#1", 0, 300 * kMicrosecond, {OperatorKind::kRange});
  TestProfile::Op inputs;
  inputs.shapes = "[[4096, 4096], [4096, 4096]]";
  inputs.types = R"(["c10::Half", "c10::Half"])";
  for (int i = 0; i < 10; ++i) {
    const int64_t at = 10 + i * 20;
    const uint32_t op = test.op("main", "aten::mm", at * kMicrosecond, 15 * kMicrosecond, inputs);
    test.call("main", "cudaLaunchKernel", (at + 5) * kMicrosecond, 5 * kMicrosecond, i + 1, op + 1);
    test.kernel("sm90_xmma_gemm_f16f16", (20 + i * (each_us + 1)) * kMicrosecond, each_us * kMicrosecond, i + 1,
                op + 1);
  }
  return find_all(test.profile);
}

TEST(BelowRoofline, OfProductsFarOverTheirOperations) {
  const Report report = products(1500);
  const Finding* finding = find_finding(report, "below-roofline");
  ASSERT_TRUE(finding);
  EXPECT_NEAR(*finding->saving_fraction, 1 - 1.5 * 214 / 1500, 0.02);
  EXPECT_NE(finding->title.find("7.0 times as long as its operations need"), std::string::npos) << finding->title;
  EXPECT_FALSE(find_finding(products(300), "below-roofline"));
}

}  // namespace
}  // namespace warplens::findings
