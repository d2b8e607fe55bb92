#include "warplens/program/analysis/timeline/matrix_work.h"

#include <gtest/gtest.h>

#include "warplens/program/analysis/test_profile.h"

namespace warplens::analysis {
namespace {

constexpr const char* kTensor = "nvjet_sm90_tst_128x256_64x4_2x1_v_bz_coopA_TNN";
constexpr const char* kOrdinary = "ampere_sgemm_128x64_tn";

void product(TestProfile& test, int64_t at, std::string_view types,
             const std::vector<std::pair<const char*, int64_t>>& kernels) {
  TestProfile::Op more;
  more.shapes = "[[1000, 500], [500, 2000]]";
  more.types = types;
  const uint32_t op = test.op("main", "aten::mm", at, 100, more);
  int64_t correlation = at + 1, start = at + 50;
  for (const auto& [name, duration] : kernels) {
    test.call("main", "cudaLaunchKernel", at + 10, 5, correlation, op + 1);
    test.kernel(name, start, duration, correlation++, op + 1);
    start += duration;
  }
}

std::vector<MatrixWork> work_of(const TestProfile& test) {
  return matrix_work(test.profile, Causes(test.profile), *class_rules(""));
}

TEST(MatrixWork, RateAndShareOfThePeak) {
  TestProfile test;
  for (const int64_t at : {0, 1'000'000}) product(test, at, R"(["c10::Half", "c10::Half"])", {{kTensor, 10'000}});
  const std::vector<MatrixWork> work = work_of(test);
  ASSERT_EQ(work.size(), 1u);
  EXPECT_EQ(work[0].count, 2);
  EXPECT_EQ(work[0].tensor_use, TensorUse::kYes);
  EXPECT_DOUBLE_EQ(work[0].tflops(), 2e9 / 10'000 / 1e3);  // 2 * 1000 * 500 * 2000 operations in 10 us
  EXPECT_DOUBLE_EQ(work[0].peak_tflops, 989);              // H200, 16 bits
}

TEST(MatrixWork, OrdinaryUnitsAreSetAgainstTheirOwnPeak) {
  TestProfile test;
  product(test, 0, R"(["float", "float"])", {{kOrdinary, 50'000}});
  const std::vector<MatrixWork> work = work_of(test);
  ASSERT_EQ(work.size(), 1u);
  EXPECT_EQ(work[0].tensor_use, TensorUse::kNo);
  EXPECT_DOUBLE_EQ(work[0].peak_share(), 40 / 66.9);
}

TEST(MatrixWork, KernelsOfOneProductShareItsOperations) {
  TestProfile test;
  product(test, 0, R"(["float", "float"])",
          {{kOrdinary, 30'000}, {"void cublasLt::splitKreduce_kernel<32, 16, int, float>", 10'000}});
  double flops = 0;
  for (const MatrixWork& w : work_of(test)) flops += w.flops;
  EXPECT_DOUBLE_EQ(flops, 2e9);
}

TEST(MatrixWork, WithoutShapesThereIsNoRate) {
  TestProfile test;
  const uint32_t op = test.op("main", "aten::mm", 0, 100);
  test.call("main", "cudaLaunchKernel", 10, 5, 1, op + 1);
  test.kernel(kTensor, 50, 1000, 1, op + 1);
  const std::vector<MatrixWork> work = work_of(test);
  ASSERT_EQ(work.size(), 1u);
  EXPECT_EQ(work[0].tflops(), 0);
  EXPECT_EQ(work[0].peak_tflops, 0);  // the type is not known either
}

}  // namespace
}  // namespace warplens::analysis
