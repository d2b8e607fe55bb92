#include "warplens/program/analysis/operators/roofline.h"

#include <gtest/gtest.h>

#include "warplens/program/analysis/operators/traffic.h"
#include "warplens/program/analysis/test_profile.h"

namespace warplens::analysis {
namespace {

double bytes_of(std::string_view name, std::string_view shapes, std::string_view types,
                std::string_view concrete = {}) {
  TestProfile test;
  TestProfile::Op inputs;
  inputs.shapes = shapes;
  inputs.types = types;
  inputs.concrete = concrete;
  return least_bytes(test.profile, test.op("main", name, 0, 10, inputs)).value_or(-1);
}

TEST(LeastBytes, ReadsInputsAndWritesOutputsOnce) {
  EXPECT_EQ(bytes_of("aten::mm", "[[8, 16], [16, 32]]", R"(["c10::Half", "c10::Half"])"),
            2 * (8 * 16 + 16 * 32 + 8 * 32));
  EXPECT_EQ(bytes_of("aten::addmm", "[[32], [8, 16], [16, 32], [], []]",
                     R"(["float", "float", "float", "Scalar", "Scalar"])"),
            4 * (32 + 8 * 16 + 16 * 32 + 8 * 32));
  EXPECT_EQ(bytes_of("aten::bmm", "[[4, 8, 16], [4, 16, 32]]", R"(["float", "float"])"),
            4 * 4 * (8 * 16 + 16 * 32 + 8 * 32));
  EXPECT_EQ(bytes_of("aten::add", "[[8, 16], [16], []]", R"(["float", "float", "Scalar"])"),
            4 * (8 * 16 + 16 + 8 * 16));
  EXPECT_EQ(bytes_of("aten::copy_", "[[8, 16], [8, 16], []]", R"(["c10::Half", "float", "Scalar"])"), (2 + 4) * 8 * 16);
  EXPECT_EQ(bytes_of("aten::mul", "[[8, 16], [8, 1]]", R"(["c10::Half", "float"])"), 2 * 8 * 16 + 4 * 8 + 4 * 8 * 16);
  EXPECT_EQ(bytes_of("aten::mul", "[[8, 16], [], [8, 16]]", R"(["float", "Scalar", "float"])"), 4 * 8 * 16 * 2);
  EXPECT_EQ(bytes_of("aten::mm", "[[8, 16], [16, 32], [8, 32]]", R"(["float", "float", "float"])"),
            4 * (8 * 16 + 16 * 32 + 8 * 32));
  EXPECT_EQ(bytes_of("aten::_softmax", "[[8, 16], [], []]", R"(["float", "Scalar", "Scalar"])"), 2 * 4 * 8 * 16);
  EXPECT_EQ(bytes_of("aten::_scaled_dot_product_flash_attention", "[[1, 2, 8, 16], [1, 2, 8, 16], [1, 2, 8, 16]]",
                     R"(["c10::Half", "c10::Half", "c10::Half"])"),
            4 * 2 * 2 * 8 * 16);
  EXPECT_EQ(
      bytes_of("aten::convolution", "[[2, 3, 8, 8], [4, 3, 1, 1], [], [], [], [], [], [], []]",
               R"(["float", "float", "", "ScalarList", "ScalarList", "ScalarList", "Scalar", "ScalarList", "Scalar"])",
               R"(["", "", "", "[1, 1]", "[0, 0]", "[1, 1]", "False", "[0, 0]", "1"])"),
      4 * (2 * 3 * 64 + 4 * 3 + 2 * 4 * 64));
}

TEST(LeastBytes, AreNotKnownOfGathersAndWithoutShapes) {
  EXPECT_EQ(bytes_of("aten::embedding", "[[50257, 768], [8]]", R"(["float", "long int"])"), -1);
  EXPECT_EQ(bytes_of("aten::mm", "", ""), -1);
  EXPECT_EQ(bytes_of("my::add", "[[8], [8]]", R"(["float", "float"])"), -1);
}

TEST(Roofline, TakesTheSlowerOfOperationsAndBytes) {
  TestProfile test;
  TestProfile::Op large, small;
  large.shapes = "[[4096, 4096], [4096, 4096]]";
  large.types = R"(["c10::Half", "c10::Half"])";
  small.shapes = "[[1, 4096], [4096, 4096]]";
  small.types = large.types;
  int64_t at = 0, correlation = 1;
  for (const auto* inputs : {&large, &small}) {
    const uint32_t op = test.op("main", "aten::mm", at, 100, *inputs);
    test.call("main", "cudaLaunchKernel", at + 10, 10, correlation, op + 1);
    test.kernel("sm90_xmma_gemm_f16f16_tensorop", at + 1000, 400'000, correlation++, op + 1);
    at += 500'000;
  }
  const std::vector<RooflineRow> rows = operator_roofline(test.profile, Causes(test.profile), *class_rules(""));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_TRUE(rows[0].memory_bound());  // 400 us where 7 us would do: furthest over
  EXPECT_NEAR(rows[0].memory_ns(), 4096.0 * 4096 * 2 / 4800, 10);
  EXPECT_FALSE(rows[1].memory_bound());
  EXPECT_NEAR(rows[1].share(), 2 * 4096.0 * 4096 * 4096 / 989e12 / 400e-6, 0.01);
}

}  // namespace
}  // namespace warplens::analysis
