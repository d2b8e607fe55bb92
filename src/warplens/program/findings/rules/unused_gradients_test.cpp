#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "warplens/program/analysis/test_profile.h"
#include "warplens/program/findings/test_findings.h"

namespace warplens::findings {
namespace {

using analysis::TestProfile;

/// Forty operators of 12 us in a step, each with a short kernel. Autograd follows them if each has a new number.
TestProfile operators(bool followed) {
  TestProfile test;
  test.op("main", "ProfilerStep#1", 0, 600 * kMicrosecond, {OperatorKind::kRange});
  for (int i = 0; i < 40; ++i) {
    const int64_t at = 12 * i * kMicrosecond;
    const uint32_t op = test.op("main", "aten::relu", at, 11 * kMicrosecond,
                                {.kind = OperatorKind::kOperator, .sequence = followed ? 100 + i : 100});
    test.call("main", "cudaLaunchKernel", at + 5 * kMicrosecond, 4 * kMicrosecond, i + 1, op + 1);
    test.kernel("relu", at + 10 * kMicrosecond, 2 * kMicrosecond, i + 1, op + 1);
  }
  return test;
}

TEST(UnusedGradients, AreNodesThatNoBackwardPassUses) {
  const Report report = find_all(operators(true).profile);
  const Finding* f = find_finding(report, "unused-gradients");
  ASSERT_TRUE(f);
  EXPECT_NEAR(static_cast<double>(*f->saving_ns), 39 * 1650, 8 * 1650);  // recording them took a part of it
}

TEST(UnusedGradients, NeedNumbersThatRiseAndNoBackwardPass) {
  EXPECT_FALSE(find_finding(find_all(operators(false).profile), "unused-gradients"));
  TestProfile trained = operators(true);
  trained.op("main", "autograd::engine::evaluate_function: ReluBackward0", 500 * kMicrosecond, 20 * kMicrosecond);
  EXPECT_FALSE(find_finding(find_all(trained.profile), "unused-gradients"));
}

constexpr std::string_view kAccumulates = "torch::autograd::AccumulateGrad";

/// Steps whose backward pass makes gradients of two tensors. The optimizer updates one; the other's are added to.
class TwoLeaves {
 public:
  explicit TwoLeaves(bool cleared, std::string_view shapes_of_other = "[[512, 256]]") {
    for (int step = 0; step < 4; ++step) {
      const int64_t begin = at_;
      evaluate("AddmmBackward0", "aten::mm", "[[1024, 512], [512, 512]]", 300);
      evaluate("AddmmBackward0", "aten::mm", "[[512, 1024], [1024, 256]]", 300);
      accumulate(shapes_of_other, cleared ? "aten::detach" : "aten::add_");
      evaluate("AddmmBackward0", "aten::mm", "[[64, 1024], [1024, 64]]", 300);
      accumulate("[[64, 64]]", "aten::detach");
      const int64_t update = at_;
      launch("aten::_fused_adamw_", "[[[64, 64]], [[64, 64]]]", 20);
      test.op("main", "Optimizer.step#AdamW.step", update, at_ - update, {OperatorKind::kRange});
      test.call("main", "cudaDeviceSynchronize", at_, device_ + 2 * kMicrosecond - at_, ++launches_);
      at_ = device_ + 5 * kMicrosecond;
      test.op("main", "ProfilerStep#" + std::to_string(step), begin, at_ - begin, {OperatorKind::kRange});
      at_ += kMicrosecond;
    }
  }
  TestProfile test;

 private:
  void launch(std::string_view name, std::string_view shapes, int64_t device_us) {
    const uint32_t op =
        test.op("main", name, at_, 8 * kMicrosecond, {.kind = OperatorKind::kOperator, .shapes = shapes});
    test.call("main", "cudaLaunchKernel", at_ + 2 * kMicrosecond, 4 * kMicrosecond, ++launches_, op + 1);
    device_ = std::max(device_, at_ + 8 * kMicrosecond);
    test.kernel(name, device_, device_us * kMicrosecond, launches_, op + 1);
    device_ += device_us * kMicrosecond;
    at_ += 9 * kMicrosecond;
  }
  void evaluate(std::string_view function, std::string_view name, std::string_view shapes, int64_t device_us) {
    const int64_t begin = at_;
    at_ += kMicrosecond;
    launch(name, shapes, device_us);
    test.op("main", "autograd::engine::evaluate_function: " + std::string(function), begin, at_ - begin);
  }
  void accumulate(std::string_view shapes, std::string_view name) {
    const int64_t begin = at_;
    at_ += kMicrosecond;
    if (name == "aten::add_") launch(name, shapes, 10);
    test.op("main", kAccumulates, begin, at_ - begin, {.kind = OperatorKind::kOperator, .shapes = shapes});
    test.op("main", "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad", begin - 1,
            at_ - begin + kMicrosecond);
    at_ += 2 * kMicrosecond;
  }
  int64_t at_ = 0, device_ = 0, launches_ = 0;
};

TEST(UnusedGradients, AreThoseThatEachStepAddsToAndNothingTakes) {
  const Report report = find_all(TwoLeaves(false).test.profile);
  const Finding* f = find_finding(report, "unused-gradients");
  ASSERT_TRUE(f);
  EXPECT_NEAR(static_cast<double>(*f->saving_ns), 310e3, 10e3) << "the product that makes it, and the addition";
}

TEST(UnusedGradients, AreNoneWhereTheyAreClearedOrShareTheShapeOfUsedOnes) {
  EXPECT_FALSE(find_finding(find_all(TwoLeaves(true).test.profile), "unused-gradients"));
  EXPECT_FALSE(find_finding(find_all(TwoLeaves(false, "[[64, 64]]").test.profile), "unused-gradients"));
}

}  // namespace
}  // namespace warplens::findings
