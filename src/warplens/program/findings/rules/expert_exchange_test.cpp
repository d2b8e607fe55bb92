// What public traces of serving and of optimizers by hand showed: exchanges without NCCL, products within an update,
// work launched before the recording.
#include <gtest/gtest.h>

#include "warplens/program/analysis/test_profile.h"
#include "warplens/program/findings/test_findings.h"

namespace warplens::findings {
namespace {

using analysis::TestProfile;

constexpr const char* kCombine = "void deep_ep::internode_ll::combine<3, 10, 7168, 9>(void*, void*, int*)";

/// A decode step on one stream, its kernels in turn products of 300 us and exchanges of 600 us, which was queued
/// `behind_us` behind work that the recording does not hold.
TestProfile decode(int64_t behind_us) {
  TestProfile test;
  int64_t at = behind_us * kMicrosecond + 10 * kMicrosecond;
  for (int i = 0; i < 40; ++i) {
    const int64_t length = (i % 2 ? 600 : 300) * kMicrosecond;
    const uint32_t op =
        test.op("main", i % 2 ? "deep_ep::low_latency_combine" : "aten::mm", i * 20 * kMicrosecond, 10 * kMicrosecond);
    test.call("main", "cudaLaunchKernel", i * 20 * kMicrosecond + 2000, 4 * kMicrosecond, i + 1, op + 1);
    test.kernel(i % 2 ? kCombine : "nvjet_hsh_128x64_64x9_1x2_h_bz_TNN", at, length, i + 1, op + 1);
    at += length + 1000;
  }
  return test;
}

TEST(ExposedCommunication, KnowsExchangesBetweenExperts) {
  const Report report = find_all(decode(0).profile);
  ASSERT_FALSE(report.findings.empty());
  EXPECT_EQ(report.findings.front().id, "exposed-communication");
  EXPECT_NE(report.findings.front().advice.find("experts"), std::string::npos);
  EXPECT_FALSE(find_finding(report, "small-grid")) << "kernels that wait for other ranks need no more blocks";
}

TEST(IdleGpu, IsNotWhatTheFirstKernelWaitedForBehindUnrecordedWork) {
  const Report report = find_all(decode(100'000).profile);  // 100 ms before 18 ms of the step's own
  EXPECT_FALSE(find_finding(report, "idle-gpu"));
  ASSERT_FALSE(report.findings.empty());
  EXPECT_EQ(report.findings.front().id, "exposed-communication");
}

/// Two steps whose optimizer launches `pointwise` kernels of pointwise operators and `others` of `other`.
TestProfile updates(int pointwise, int others, const char* other) {
  TestProfile test;
  int64_t host = 0, correlation = 1;
  for (int step = 0; step < 2; ++step) {
    const int64_t start = host;
    const uint32_t marker = test.op("main", "ProfilerStep#" + std::to_string(step), start, 0, {OperatorKind::kRange});
    const uint32_t range = test.op("main", "Optimizer.step#Muon.step", start, 0, {OperatorKind::kRange});
    for (int i = 0; i < pointwise + others; ++i) {
      TestProfile::Op more;
      more.shapes = "[[256, 256], [256, 256]]";
      more.types = R"(["float", "float"])";
      const uint32_t op =
          test.op("main", i < pointwise ? (i % 2 ? "aten::mul_" : "aten::add_") : other, host, 15 * kMicrosecond, more);
      test.call("main", "cudaLaunchKernel", host + 2000, 5 * kMicrosecond, correlation, op + 1);
      test.kernel("k", host + 10 * kMicrosecond, 3 * kMicrosecond, correlation++, op + 1);
      host += 20 * kMicrosecond;
    }
    test.profile.operators.duration_ns.at(marker) = test.profile.operators.duration_ns.at(range) = host - start;
    host += 10 * kMicrosecond;
  }
  return test;
}

TEST(UnfusedOptimizer, IsRowsOfPointwiseKernelsAlone) {
  EXPECT_TRUE(find_finding(find_all(updates(120, 0, "").profile), "unfused-optimizer"));
  EXPECT_FALSE(find_finding(find_all(updates(120, 60, "aten::baddbmm").profile), "unfused-optimizer"))
      << "Newton-Schulz iterations";
  EXPECT_FALSE(find_finding(find_all(updates(120, 60, "triton_red_fused_norm_0").profile), "unfused-optimizer"));
}

}  // namespace
}  // namespace warplens::findings
