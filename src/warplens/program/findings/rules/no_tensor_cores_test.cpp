#include <gtest/gtest.h>

#include "warplens/program/analysis/test_profile.h"
#include "warplens/program/findings/engine.h"

namespace warplens::findings {
namespace {

using analysis::TestProfile;

/// Four products of [512, 4096] and [4096, 4096] in 400 us each.
TestProfile products(std::string_view kernel, std::string_view types) {
  TestProfile test;
  test.op("main", "ProfilerStep#0", 0, 200'000, {OperatorKind::kRange});
  for (int64_t i = 0; i < 4; ++i) {
    TestProfile::Op more;
    more.shapes = "[[512, 4096], [4096, 4096]]";
    more.types = types;
    const uint32_t op = test.op("main", "aten::mm", i * 50'000, 20'000, more);
    test.call("main", "cudaLaunchKernel", i * 50'000 + 5'000, 5'000, i + 1, op + 1);
    test.kernel(kernel, 20'000 + i * 400'000, 399'000, i + 1, op + 1);
  }
  return test;
}

bool fires(const TestProfile& test) {
  for (const Finding& finding : find_all(test.profile).findings) {
    if (finding.id == "no-tensor-cores") return finding.saving_fraction > 0.5;
  }
  return false;
}

constexpr const char* kHalf = R"(["c10::Half", "c10::Half"])";

// cuBLAS no longer picks such kernels on Hopper, so no recorded trace here has one; the names are those of Ampere and
// Volta.
TEST(NoTensorCores, FiresOnHalfPrecisionProductsOnOrdinaryUnits) {
  EXPECT_TRUE(fires(products("ampere_fp16_sgemm_fp16_128x64_tn", kHalf)));
  EXPECT_TRUE(fires(
      products("void gemv2T_kernel_val<int, int, __half, __half, __half, float, 128, 16, 4, 4, false, false>", kHalf)));
}

TEST(NoTensorCores, IsSilentOnTensorCoresAndOn32Bits) {
  EXPECT_FALSE(fires(products("nvjet_sm90_hsh_128x256_64x4_1x2_h_bz_coopA_NNT", kHalf)));
  EXPECT_FALSE(fires(products("ampere_sgemm_128x64_tn", R"(["float", "float"])")));
}

/// The finding on products without operators, as graphs launch them, on a GPU of this name.
const Finding* fp32(const TestProfile& test, Report& report) {
  report = find_all(test.profile);
  for (const Finding& finding : report.findings) {
    if (finding.id == "fp32-gemm") return &finding;
  }
  return nullptr;
}

TEST(Fp32Gemm, GainsBySixteenBitsWhereTf32IsNoFaster) {
  TestProfile test = products("ampere_sgemm_128x64_tn", R"(["float", "float"])");
  for (uint32_t row = 0; row < 4; ++row) test.profile.device_events.external_id.at(row) = 0;
  test.profile.devices.name.at(0) = test.text("NVIDIA GeForce RTX 3090");
  test.profile.devices.compute_major.at(0) = 8;
  test.profile.devices.compute_minor.at(0) = 6;
  test.profile.devices.sm_count.at(0) = 82;
  Report report;
  const Finding* finding = fp32(test, report);
  ASSERT_TRUE(finding);
  EXPECT_NE(finding->advice.find("bfloat16"), std::string::npos);
  EXPECT_NEAR(*finding->saving_fraction, 0.29, 0.05);  // 1.4 times as fast
}

TEST(Fp32Gemm, IsSilentOnSixteenBitConvolutionsOnOrdinaryUnits) {
  Report report;
  TestProfile bits32 = products("void precomputed_convolve_sgemm<float, 1024, 5, 5, 4, 3, 3, 1, false>(int, int)", ""),
              bits16 = products("void precomputed_convolve_sgemm<__nv_bfloat16, 1024, 5, 5, 4, 3>(int, int)", "");
  EXPECT_TRUE(fp32(bits32, report));
  EXPECT_FALSE(fp32(bits16, report));
}

}  // namespace
}  // namespace warplens::findings
