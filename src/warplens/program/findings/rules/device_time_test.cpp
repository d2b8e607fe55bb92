// memory-bound and hot-kernel: where a busy device's time goes when no rule of a cause says it.
#include <gtest/gtest.h>

#include "warplens/program/analysis/test_profile.h"
#include "warplens/program/findings/test_findings.h"

namespace warplens::findings {
namespace {

using analysis::TestProfile;

/// A step of 10 ms in which kernels of these names follow each other, 1 ms each, launched by operators of one shape.
Report busy_with(const std::vector<std::pair<std::string, std::string>>& operators_and_kernels, bool waits = false) {
  TestProfile test;
  test.op("main", "ProfilerStep#0", 0, 10'000 * kMicrosecond, {OperatorKind::kRange});
  for (int64_t i = 0; i < 10; ++i) {
    const auto& [name, kernel] = operators_and_kernels[static_cast<size_t>(i) % operators_and_kernels.size()];
    const uint32_t op = test.op("main", name, i * 20 * kMicrosecond, 10 * kMicrosecond);
    test.profile.operators.input_shapes.at(op) = test.profile.strings.intern("[[64, 1024]]");
    test.call("main", "cudaLaunchKernel", i * 20 * kMicrosecond + 2000, 5000, i + 1, op + 1);
    test.kernel(kernel, (20 + i * 1000) * kMicrosecond, 999 * kMicrosecond, i + 1, op + 1);
  }
  if (waits) test.call("main", "cudaDeviceSynchronize", 300 * kMicrosecond, 9'719 * kMicrosecond, 99);
  return find_all(test.profile);
}

constexpr const char* kConv = "cutlass_80_tensorop_s1688gemm_256x64_16x4_nn_align4";
constexpr const char* kRelu = "void at::native::vectorized_elementwise_kernel<4, at::native::ReluFunctor<float> >(int)";
constexpr const char* kNorm = "void cudnn::bn_fw_inf_1C11_kernel_NCHW<float, float, true, 1>(float)";

TEST(MemoryBound, NamesNormalisationsAndPointwiseKernelsAroundConvolutions) {
  const Report report = busy_with(
      {{"aten::cudnn_convolution", kConv}, {"aten::cudnn_batch_norm", kNorm}, {"aten::clamp_min_", kRelu}}, true);
  const Finding* finding = find_finding(report, "memory-bound");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding, &report.findings.front());
  EXPECT_NE(finding->title.find("normalisation 50"), std::string::npos) << finding->title;
  // Of a convolution, a normalisation and an activation the last two are one kernel, as long as either.
  EXPECT_NEAR(*finding->saving_fraction, 3.0 / 10, 0.02);
}

TEST(MemoryBound, IsSilentWhereNothingCanBeFused) {
  EXPECT_EQ(find_finding(busy_with({{"aten::cudnn_convolution", kConv}, {"aten::clamp_min_", kRelu}}), "memory-bound"),
            nullptr);
  EXPECT_EQ(find_finding(busy_with({{"aten::clamp_min_", kRelu}}), "memory-bound"), nullptr) << "a loop of one kernel";
  EXPECT_EQ(find_finding(busy_with({{"", "triton_poi_fused_relu_0"}, {"", "triton_red_fused_mean_1"}}), "memory-bound"),
            nullptr)
      << "a compiler fused them";
}

TEST(HotKernel, NamesAKernelWhoseWorkNoRuleKnows) {
  const Report report = busy_with({{"_forward", "triton__0d1d2d3d"}, {"aten::mm", kConv}});
  const Finding* finding = find_finding(report, "hot-kernel");
  ASSERT_NE(finding, nullptr);
  EXPECT_NE(finding->title.find("triton__0d1d2d3d"), std::string::npos) << finding->title;
  EXPECT_NE(finding->title.find("one kernel takes 50.0 %"), std::string::npos) << finding->title;
}

TEST(HotKernel, LeavesLibrariesAndCommunicationToOtherRules) {
  EXPECT_EQ(
      find_finding(busy_with({{"aten::mm", kConv}, {"", "nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_NNT"}}), "hot-kernel"),
      nullptr);
  EXPECT_EQ(
      find_finding(busy_with({{"", "void dpsk::ep::internode::combine<false, 8, __nv_bfloat16>(int)"}}), "hot-kernel"),
      nullptr);
}

}  // namespace
}  // namespace warplens::findings
