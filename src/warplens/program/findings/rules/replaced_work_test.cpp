#include <gtest/gtest.h>

#include "warplens/program/analysis/test_profile.h"
#include "warplens/program/findings/test_findings.h"

namespace warplens::findings {
namespace {

using analysis::TestProfile;
using Op = TestProfile::Op;

constexpr int64_t kStepNs = 2000 * kMicrosecond;

/// Marked steps of operators, each with one kernel unless it takes no time. Each step ends with a wait for the device.
class Steps {
 public:
  void begin() {
    end();
    at_ = device_ = begin_ = begin_ + kStepNs;
  }
  void end() {
    if (begin_ == 0) return;
    test.call("main", "cudaDeviceSynchronize", at_, device_ + 2 * kMicrosecond - at_, ++launches_);
    test.op("main", "ProfilerStep#" + std::to_string(begin_ / kStepNs), begin_, device_ + 3 * kMicrosecond - begin_,
            {OperatorKind::kRange});
  }
  void run(std::string_view name, int64_t device_us, std::string_view shapes, std::string_view types,
           std::string_view concrete = "[]") {
    const uint32_t op =
        test.op("main", name, at_ + kMicrosecond, 8 * kMicrosecond,
                {.kind = OperatorKind::kOperator, .shapes = shapes, .types = types, .concrete = concrete});
    if (device_us > 0) {
      test.call("main", "cudaLaunchKernel", at_ + 3 * kMicrosecond, 4 * kMicrosecond, ++launches_, op + 1);
      device_ = std::max(device_, at_ + 8 * kMicrosecond);
      test.kernel(name, device_, device_us * kMicrosecond, launches_, op + 1);
      device_ += device_us * kMicrosecond;
    }
    at_ += 10 * kMicrosecond;
  }
  /// A kernel of the program's own.
  void launch(std::string_view name, int64_t device_us) {
    test.call("main", "cudaLaunchKernel", at_ + 3 * kMicrosecond, 4 * kMicrosecond, ++launches_);
    device_ = std::max(device_, at_ + 8 * kMicrosecond);
    test.kernel(name, device_, device_us * kMicrosecond, launches_);
    device_ += device_us * kMicrosecond;
    at_ += 10 * kMicrosecond;
  }
  void read_back(int64_t bytes) {
    test.call("main", "cudaMemcpyAsync", at_, 4 * kMicrosecond, ++launches_);
    const uint32_t row = test.kernel("Memcpy DtoH", device_, kMicrosecond, launches_, 0, 7, DeviceEventKind::kCopy);
    test.profile.device_events.copy_kind.at(row) = CopyKind::kDeviceToHost;
    test.profile.device_events.bytes.at(row) = bytes;
    device_ += kMicrosecond;
    at_ += 10 * kMicrosecond;
  }
  const Finding* find(std::string_view id) {
    end();
    begin_ = 0;
    report_ = find_all(test.profile);
    return find_finding(report_, id);
  }
  TestProfile test;

 private:
  int64_t begin_ = 0, at_ = 0, device_ = 0, launches_ = 0;
  Report report_;
};

constexpr std::string_view kScores = "[[256, 100000], [], []]", kSorted = "[[256, 100000], [], [], [], []]";

Steps sorted_steps(std::string_view slice, std::string_view then, std::string_view then_shapes) {
  Steps steps;
  for (int i = 0; i < 3; ++i) {
    steps.begin();
    steps.run("aten::sort", 1500, kScores, R"(["float", "Scalar", "Scalar"])", R"(["", "-1", "True"])");
    steps.run("aten::slice", 0, kSorted, R"(["float"])", slice);
    steps.run(then, 50, then_shapes, R"(["float"])");
  }
  return steps;
}

TEST(FullSort, ForAFewElementsIsASelection) {
  Steps steps = sorted_steps(R"(["", "1", "0", "5", "1"])", "aten::sum", "[[256, 5]]");
  const Finding* f = steps.find("full-sort");
  ASSERT_TRUE(f);
  // Four counts of 25.6 million elements at 3.46 a nanosecond on each of 132 SMs, and the search at 1.54: 371 us.
  EXPECT_NEAR(static_cast<double>(*f->saving_ns), 1129e3, 20e3);
}

TEST(FullSort, IsNotUsedByWhatHasAnotherTypeOrComesInTheNextStep) {
  Steps steps;
  for (int i = 0; i < 3; ++i) {
    steps.begin();
    steps.run("aten::to", 20, "[[256, 100000]]", R"(["c10::BFloat16"])");
    steps.run("aten::div", 20, "[[256, 100000], []]", R"(["float", "Scalar"])");
    steps.run("aten::sort", 1500, kScores, R"(["float", "Scalar", "Scalar"])", R"(["", "-1", "True"])");
    steps.run("aten::slice", 0, kSorted, R"(["float"])", R"(["", "1", "0", "5", "1"])");
    steps.run("aten::mul", 20, "[[256, 100000], []]", R"(["c10::BFloat16", "Scalar"])");
  }
  ASSERT_TRUE(steps.find("full-sort"));
}

TEST(FullSort, ByArgsortGivesPlacesAlone) {
  Steps steps;
  for (int i = 0; i < 3; ++i) {
    steps.begin();
    steps.run("aten::argsort", 1500, kScores, R"(["float", "Scalar", "Scalar"])", R"(["", "1", "True"])");
    steps.run("aten::slice", 0, kSorted, R"(["long int"])", R"(["", "1", "0", "5", "1"])");
    steps.run("aten::gather", 20, "[[256, 100000], [], [256, 5]]", R"(["float", "Scalar", "long int"])");
  }
  EXPECT_TRUE(steps.find("full-sort")) << "what is gathered has the shape of what was sorted, but is no result of it";
}

TEST(FullSort, ThatIsUsedWholeIsNone) {
  EXPECT_FALSE(sorted_steps(R"(["", "1", "0", "5", "1"])", "aten::cumsum", "[[256, 100000]]").find("full-sort"));
  EXPECT_FALSE(sorted_steps(R"(["", "1", "0", "90000", "1"])", "aten::sum", "[[256, 90000]]").find("full-sort"));
}

/// Steps that convert weights of 8 bits, scale them, and multiply with them.
Steps converted_steps(std::string_view type, bool uploads) {
  Steps steps;
  const std::string types = R"(["c10::BFloat16", ")" + std::string(type) + R"("])";
  for (int i = 0; i < 3; ++i) {
    steps.begin();
    if (uploads) steps.run("aten::copy_", 20, "[[512, 1024], [512, 1024]]", R"(["signed char", "signed char"])");
    steps.run("aten::copy_", 300, "[[512, 1024], [512, 1024]]", types);
    steps.run("aten::mul", 300, "[[512, 1024], [512, 1]]", R"(["c10::BFloat16", "c10::BFloat16"])");
    steps.run("aten::mm", 400, "[[8, 1024], [1024, 512]]", R"(["c10::BFloat16", "c10::BFloat16"])");
  }
  return steps;
}

TEST(RepeatedCast, IsOfWeightsThatProductsReadAndNothingChanges) {
  Steps steps = converted_steps("signed char", false);
  const Finding* f = steps.find("repeated-cast");
  ASSERT_TRUE(f);
  EXPECT_NEAR(static_cast<double>(*f->saving_ns), 600e3, 15e3) << "the conversion and the scaling";
  EXPECT_FALSE(converted_steps("signed char", true).find("repeated-cast")) << "what is uploaded may be new";
  EXPECT_FALSE(converted_steps("c10::BFloat16", false).find("repeated-cast")) << "a copy of a weight";
}

TEST(OneHotProduct, IsALookUp) {
  Steps steps;
  for (int i = 0; i < 3; ++i) {
    steps.begin();
    steps.run("aten::one_hot", 200, "[[8, 512], []]", R"(["long int", "Scalar"])", R"(["", "20000"])");
    steps.run("aten::_to_copy", 300, "[[8, 512, 20000]]", R"(["long int"])");
    steps.run("aten::mm", 120, "[[4096, 20000], [20000, 512]]", R"(["c10::BFloat16", "c10::BFloat16"])");
    steps.run("aten::mm", 500, "[[4096, 512], [512, 512]]", R"(["c10::BFloat16", "c10::BFloat16"])");
  }
  const Finding* f = steps.find("one-hot-product");
  ASSERT_TRUE(f);
  EXPECT_NEAR(static_cast<double>(*f->saving_ns), 617e3, 12e3);  // all three but reading and writing 4 MiB
}

TEST(OneHotProduct, NeedsAProductOfThatDepth) {
  Steps steps;
  for (int i = 0; i < 3; ++i) {
    steps.begin();
    steps.run("aten::one_hot", 200, "[[8, 512], []]", R"(["long int", "Scalar"])", R"(["", "20000"])");
    steps.run("aten::mul", 300, "[[8, 512, 20000], [8, 512, 20000]]", R"(["float", "float"])");
    steps.run("aten::mm", 500, "[[4096, 512], [512, 512]]", R"(["c10::BFloat16", "c10::BFloat16"])");
  }
  EXPECT_FALSE(steps.find("one-hot-product"));
}

/// `grows`: each concatenation takes what the one before made.
Steps concatenated(bool grows) {
  Steps steps;
  for (int i = 0; i < 3; ++i) {
    steps.begin();
    for (int turn = 0; turn < 10; ++turn) {
      const std::string before = std::to_string(grows ? 2000 + turn : 2000);
      steps.run("aten::cat", 150, "[[[32, " + before + ", 1024], [32, 1, 1024]], []]", R"(["TensorList", "Scalar"])");
    }
  }
  return steps;
}

TEST(GrowingTensor, IsWrittenInPlace) {
  Steps steps = concatenated(true);
  const Finding* f = steps.find("growing-tensor");
  ASSERT_TRUE(f);
  EXPECT_GT(*f->saving_fraction, 0.7);
  EXPECT_FALSE(concatenated(false).find("growing-tensor"));
}

Steps doubles(int64_t device_us) {
  Steps steps;
  for (int i = 0; i < 3; ++i) {
    steps.begin();
    steps.run("aten::tanh", device_us, "[[32768, 4096]]", R"(["double"])");
    steps.run("aten::mul", 900, "[[32768, 4096], []]", R"(["float", "Scalar"])");
  }
  return steps;
}

TEST(DoublePrecision, HalvesWhatMemoryBounds) {
  // Memory takes 545 us of it: 2.1 GB at 82 % of an H200's 4.8 TB/s.
  Steps bound = doubles(540), longer = doubles(900);
  const Finding* f = bound.find("double-precision");
  ASSERT_TRUE(f);
  EXPECT_NEAR(static_cast<double>(*f->saving_ns), 270e3, 8e3);
  f = longer.find("double-precision");
  ASSERT_TRUE(f);
  EXPECT_NEAR(static_cast<double>(*f->saving_ns), 273e3, 8e3);
}

TEST(DoublePrecision, IsInTheNamesOfKernelsThatNoOperatorLaunched) {
  const auto saving_ns = [](std::string_view kernel) {
    TestProfile test;
    for (int i = 0; i < 40; ++i) {
      test.call("main", "cudaLaunchKernel", i * 100 * kMicrosecond, 3 * kMicrosecond, i + 1);
      test.kernel(kernel, (i * 100 + 5) * kMicrosecond, 90 * kMicrosecond, i + 1);
      test.call("main", "cudaDeviceSynchronize", (i * 100 + 4) * kMicrosecond, 92 * kMicrosecond, 100 + i);
    }
    const Report report = find_all(test.profile);
    const Finding* f = find_finding(report, "double-precision");
    return f ? f->saving_fraction.value_or(0) : 0;
  };
  EXPECT_NEAR(saving_ns("void wave<double>(double const*, double*, int)"), 0.45, 0.03);
  EXPECT_EQ(saving_ns("void wave<float>(float const*, double*, int)"), 0) << "of two types: it may need both";
}

TEST(Chain, OfATensorThatIsReducedAgainNeedNotWriteIt) {
  Steps steps;
  for (int i = 0; i < 3; ++i) {
    steps.begin();
    steps.run("aten::sub", 500, "[[4096, 1, 64], [1, 4096, 64], []]", R"(["float", "float", "Scalar"])");
    steps.run("aten::pow", 500, "[[4096, 4096, 64], []]", R"(["float", "Scalar"])", R"(["", "2"])");
    steps.run("aten::sum", 700, "[[4096, 4096, 64], [], [], []]", R"(["float", "ScalarList", "Scalar", ""])",
              R"(["", "[-1]", "False", ""])");
  }
  const Finding* f = steps.find("fusable-chain");
  ASSERT_TRUE(f);
  EXPECT_GT(*f->saving_fraction, 0.75);
  EXPECT_FALSE(steps.find("unfused-normalisation"));
}

TEST(UnfusedOptimizer, OfGroupsOfOneTensorEach) {
  for (const std::string_view list :
       {"[[[512, 512]], [[512, 512]], []]", "[[[512, 512], [512]], [[512, 512], [512]], []]"}) {
    Steps steps;
    for (int i = 0; i < 3; ++i) {
      steps.begin();
      steps.test.op("main", "Optimizer.step#AdamW.step", (i + 1) * kStepNs, 1000 * kMicrosecond,
                    {OperatorKind::kRange});
      for (int k = 0; k < 60; ++k)
        steps.run(k % 2 ? "aten::_foreach_mul_" : "aten::_foreach_add_", 3, list,
                  R"(["TensorList", "TensorList", "Scalar"])");
    }
    auto& names = steps.test.profile.device_events.name;
    for (size_t row = 0; row < names.size(); ++row) names.at(row) = steps.test.text("multi_tensor_apply_kernel");
    EXPECT_EQ(steps.find("unfused-optimizer") != nullptr, list.find("], [512]]") == std::string_view::npos) << list;
  }
}

/// Steps that write keys out for four heads each, then use them.
Steps expanded_steps(std::string_view then) {
  Steps steps;
  for (int i = 0; i < 3; ++i) {
    steps.begin();
    steps.run("aten::expand", 0, "[[8, 4, 1, 2048, 64], [], []]", R"(["float", "ScalarList", "Scalar"])",
              R"(["", "[8, 4, 4, 2048, 64]", "False"])");
    steps.run("aten::reshape", 500, "[[8, 4, 4, 2048, 64], []]", R"(["float", "ScalarList"])");
    steps.run(then, 500, "[[8, 16, 2048, 64], [8, 16, 2048, 64]]", R"(["float", "float"])");
  }
  return steps;
}

TEST(ExpandedCopy, IsOfATensorThatTheNextOperatorCouldShare) {
  Steps steps = expanded_steps("aten::scaled_dot_product_attention");
  const Finding* f = steps.find("expanded-copy");
  ASSERT_TRUE(f);
  EXPECT_NEAR(*f->saving_fraction, 0.5, 0.03);
  EXPECT_FALSE(expanded_steps("aten::sort").find("expanded-copy")) << "it needs the tensor as a whole";
}

TEST(ExpandedCopy, IsByRepeatsOfElementsToo) {
  Steps steps;
  for (int i = 0; i < 3; ++i) {
    steps.begin();
    steps.run("aten::repeat_interleave", 400, "[[8, 4, 2048, 64], [], [], []]", R"(["float", "Scalar", "Scalar", ""])",
              R"(["", "4", "1", ""])");
    steps.run("aten::mul", 400, "[[8, 16, 2048, 64], [8, 16, 2048, 64]]", R"(["float", "float"])");
  }
  ASSERT_TRUE(steps.find("expanded-copy"));
}

/// Steps that convert to 32 bits for a kernel of the program's own, and back.
Steps own_kernel_steps(int64_t kernel_us) {
  constexpr std::string_view kShapes = "[[65536, 4096], [65536, 4096]]";
  Steps steps;
  for (int i = 0; i < 3; ++i) {
    steps.begin();
    steps.run("aten::copy_", 300, kShapes, R"(["float", "c10::BFloat16"])");
    steps.launch("norm_kernel", kernel_us);
    steps.run("aten::copy_", 300, kShapes, R"(["c10::BFloat16", "float"])");
  }
  return steps;
}

TEST(RepeatedCast, AroundAKernelOfTheProgramsOwnIsSpared) {
  Steps quick = own_kernel_steps(600), slow = own_kernel_steps(1400);
  const Finding *moves = quick.find("repeated-cast"), *computes = slow.find("repeated-cast");
  ASSERT_TRUE(moves && computes);
  EXPECT_NEAR(*moves->saving_fraction, 0.75, 0.03) << "with half the bytes, it takes half the time";
  EXPECT_NEAR(*computes->saving_fraction, 0.3, 0.03) << "it computes for longer than it moves its bytes";
}

/// Steps that convert to 32 bits for one operator, and back.
Steps converted_for(std::string_view op, int64_t device_us) {
  constexpr std::string_view kShapes = "[[65536, 4096], [65536, 4096]]";
  Steps steps;
  for (int i = 0; i < 3; ++i) {
    steps.begin();
    steps.run("aten::copy_", 300, kShapes, R"(["float", "c10::BFloat16"])");
    steps.run(op, device_us, "[[65536, 4096]]", R"(["float"])");
    steps.run("aten::copy_", 300, kShapes, R"(["c10::BFloat16", "float"])");
  }
  return steps;
}

TEST(RepeatedCast, AroundASoftmaxIsSparedForItComputesIn32BitsInside) {
  Steps quick = converted_for("aten::_softmax", 600), slow = converted_for("aten::_softmax", 1400);
  const Finding *moves = quick.find("repeated-cast"), *computes = slow.find("repeated-cast");
  ASSERT_TRUE(moves && computes);
  EXPECT_NEAR(*moves->saving_fraction, 0.75, 0.03) << "with half the bytes, it takes half the time";
  EXPECT_GT(*computes->saving_fraction, 0.35) << "the conversions and the time of half the bytes are spared";
  EXPECT_LT(*computes->saving_fraction, 0.5);
}

TEST(RepeatedCast, ToWhatNeeds32BitsIsNone) {
  Steps sums = converted_for("aten::cumsum", 600);
  const Finding* back = sums.find("repeated-cast");
  EXPECT_FALSE(back) << "one conversion back is left, of the result";
}

TEST(FullSort, OutsideOfOperatorsIsForTheFewBytesThatTheHostReads) {
  Steps steps;
  for (int i = 0; i < 3; ++i) {
    steps.begin();
    steps.launch("filter", 100);
    steps.launch("cub::DeviceRadixSortHistogramKernel<float>", 50);
    for (int k = 0; k < 4; ++k) steps.launch("cub::DeviceRadixSortOnesweepKernel<float>", 150);
    steps.read_back(4);
  }
  const Finding* f = steps.find("full-sort");
  ASSERT_TRUE(f);
  EXPECT_NEAR(static_cast<double>(*f->saving_ns), 600e3, 20e3) << "one pass over the keys stays";
}

TEST(FullSort, OutsideOfOperatorsMayBeForAllKeys) {
  Steps steps;
  for (int i = 0; i < 3; ++i) {
    steps.begin();
    for (int k = 0; k < 4; ++k) steps.launch("cub::DeviceRadixSortOnesweepKernel<float>", 150);
    steps.launch("merge", 100);
    steps.read_back(4);
  }
  EXPECT_FALSE(steps.find("full-sort"));
}

}  // namespace
}  // namespace warplens::findings
