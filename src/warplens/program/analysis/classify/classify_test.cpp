#include "warplens/program/analysis/classify/classify.h"

#include <gtest/gtest.h>

#include "warplens/program/analysis/test_profile.h"

namespace warplens::analysis {
namespace {

TEST(Rules, FitGlobsWithoutRegardToCase) {
  EXPECT_TRUE(fits_glob("*gemm*", "void SGEMM_32"));
  EXPECT_TRUE(fits_glob("conv?d", "conv2d"));
  EXPECT_TRUE(fits_glob("a*b*c", "aXbXbc"));
  EXPECT_FALSE(fits_glob("a*b", "abc"));
  EXPECT_TRUE(fits_glob("*", ""));
}

TEST(Rules, UserRulesComeFirstAndMayAddClasses) {
  const Result<ClassRules> rules = class_rules("kernel my gemm* magic # a comment\n\n");
  ASSERT_TRUE(rules.ok()) << rules.status().message();
  EXPECT_EQ(rules->names[static_cast<size_t>(rules->find(RuleField::kKernel, "my gemm kernel"))], "magic");
  EXPECT_EQ(rules->names[static_cast<size_t>(rules->find(RuleField::kKernel, "sgemm"))], "gemm");
}

TEST(Rules, KnowEveryStandIn) {
  const ClassRules rules = class_rules("").value();
  const auto name = [&](std::string_view kernel) { return rules.names[rules.find(RuleField::kKernel, kernel)]; };
  for (const char* product :
       {"gemm bf16 4096x768x3072", "gemv f32 64x64", "lstm f32 2 layers 32 steps of 32x512 hidden 512",
        "gru backward tf32 1 layers 9 steps of 4x16 hidden 24", "rnn relu f32 1 layers 9 steps of 4x16 hidden 24",
        "trsm f32 32x32", "spmm csr f32 100x100"})
    EXPECT_EQ(name(std::string(product) + " (stand-in)"), "gemm") << product;
  EXPECT_EQ(name("conv2d f32 16x3x96x96 by 64x7x7 stride 2 (stand-in)"), "convolution");
  EXPECT_EQ(name("batch_norm backward f32 16x64x48x48 (stand-in)"), "normalisation");
  EXPECT_EQ(name("ncclAllReduce f32 1024 x2 (stand-in)"), "communication");
  EXPECT_EQ(name("fft f32 to c64 30x28 (stand-in)"), "other");
  EXPECT_EQ(name("getrf f32 6x6 (stand-in)"), "other");
  EXPECT_EQ(name("RNN_blockPersist_fp_LSTM<float, float, float, 512>"), "gemm");
}

TEST(Rules, NameTheBadLine) {
  EXPECT_EQ(class_rules("\nkernal a b").status().message(),
            "line 2: 'kernal' is none of range, operator, kernel, tensor");
  EXPECT_EQ(class_rules("kernel a").status().message(), "line 1: a rule is FIELD GLOB CLASS");
  EXPECT_EQ(class_rules("tensor a maybe").status().message(), "line 1: a tensor rule ends with yes or no");
}

TEST(Classify, TrustsOperatorsBeforeNamesAndRangesBeforeOperators) {
  TestProfile t;
  t.op("main", "aten::layer_norm", 0, 10);
  const uint32_t inner = t.op("main", "custom::helper", 1, 5);
  t.op("main", "Optimizer.step#AdamW.step", 20, 30, {.kind = OperatorKind::kRange});
  const uint32_t foreach_op = t.op("main", "aten::_foreach_mul_", 21, 5);
  t.kernel("helper_kernel", 100, 5, 0, inner + 1);
  t.kernel("multi_tensor_apply_kernel", 110, 5, 0, foreach_op + 1);
  t.kernel("cutlass_80_tensorop_s16816gemm", 120, 5, 0);
  t.kernel("mystery", 130, 5, 0);
  t.kernel("Memcpy HtoD (Pageable -> Device)", 140, 5, 0, inner + 1, 7, DeviceEventKind::kCopy);
  const ClassRules rules = class_rules("").value();
  const Classes classes = classify(t.profile, link_device_operators(t.profile), rules);
  const auto name = [&](size_t row) { return rules.names[classes.of_event[row]]; };
  EXPECT_EQ(name(0), "normalisation");
  EXPECT_EQ(name(1), "optimizer");
  EXPECT_EQ(name(2), "gemm");
  EXPECT_EQ(name(3), "unrecognised");
  EXPECT_EQ(name(4), "copy");
  EXPECT_EQ(classes.tensor_use[2], TensorUse::kYes);
  EXPECT_EQ(classes.tensor_use[1], TensorUse::kNo);
  EXPECT_EQ(classes.tensor_use[3], TensorUse::kUnknown);
}

}  // namespace
}  // namespace warplens::analysis
