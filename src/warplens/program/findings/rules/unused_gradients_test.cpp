#include <gtest/gtest.h>

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

}  // namespace
}  // namespace warplens::findings
