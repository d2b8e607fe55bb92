#include "warplens/fuse/emit.h"

#include <gmock/gmock.h>

#include "warplens/build/compile/compile.h"
#include "warplens/build/compile/toolkit.h"
#include "warplens/fuse/chain.h"

namespace warplens::fuse {
namespace {

using launch::DType;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

GeneratedKernel emitted(const char* text, const std::vector<Operand>& operands, EmitOptions options = {}) {
  const Result<Formula> formula = formula::parse_formula(text);
  std::vector<NamedShape> shapes;
  std::vector<DType> dtypes;
  for (const Operand& o : operands) {
    shapes.push_back({o.name, o.shape});
    dtypes.push_back(o.dtype);
  }
  const Result<Graph> graph = formula::build_graph(*formula, shapes);
  if (!graph.ok()) {
    ADD_FAILURE() << graph.status().message();
    return GeneratedKernel();
  }
  const Result<GeneratedKernel> kernel =
      emit_kernel(*graph, dtypes, std::vector<DType>(graph->outputs.size(), promoted(dtypes)), options);
  if (!kernel.ok()) {
    ADD_FAILURE() << kernel.status().message();
    return GeneratedKernel();
  }
  return *kernel;
}

const char* kGelu = "y = 0.5*x*(1+tanh(0.79788456*(x+0.044715*x*x*x)))";

TEST(Emit, OnePassCountsEachByteOnce) {
  const GeneratedKernel kernel = emitted(kGelu, {{"x", DType::kF32, {1 << 20}}});
  EXPECT_EQ(kernel.bytes, int64_t{8} << 20);
  EXPECT_EQ(kernel.grid, (1u << 20) / (256 * 4));
  EXPECT_THAT(kernel.source, HasSubstr("Pack<float, 4>"));
}

TEST(Emit, WidthFollowsTheWidestType) {
  EXPECT_THAT(emitted("y = x * 2", {{"x", DType::kF16, {4096}}}).source, HasSubstr("Pack<f16, 8>"));
  EXPECT_THAT(emitted("y = x + z", {{"x", DType::kF16, {4096}}, {"z", DType::kF32, {4096}}}).source,
              HasSubstr("Pack<f16, 4>"));
  EXPECT_THAT(emitted("y = x * 2", {{"x", DType::kF64, {4096}}}).source, HasSubstr("typedef double real"));
}

TEST(Emit, RowsThatFitStayInRegisters) {
  EXPECT_THAT(emitted("y = softmax(x)", {{"x", DType::kF32, {64, 1000}}}).source, HasSubstr("keep it in registers"));
  EXPECT_THAT(emitted("y = softmax(x)", {{"x", DType::kF32, {4, 100000}}}).source,
              HasSubstr("read it again for each pass"));
}

TEST(Emit, PromotionIsPyTorchs) {
  EXPECT_EQ(promoted({DType::kF16, DType::kF32}), DType::kF32);
  EXPECT_EQ(promoted({DType::kF16, DType::kBf16}), DType::kF32);
  EXPECT_EQ(promoted({DType::kI32, DType::kF16}), DType::kF16);
  EXPECT_EQ(promoted({DType::kI32}), DType::kF32);
  EXPECT_EQ(promoted({DType::kBf16, DType::kF64}), DType::kF64);
}

TEST(Emit, EveryKernelCompiles) {
  if (compile::toolkit().nvrtc.empty()) GTEST_SKIP() << "no CUDA compiler here (scripts/toolkit.sh brings one)";
  struct Case {
    const char* formula;
    std::vector<Operand> operands;
  };
  const std::vector<Case> cases = {
      {kGelu, {{"x", DType::kF32, {1000003}}}},
      {kGelu, {{"x", DType::kBf16, {4096}}}},
      {"y = x * w + r; z = x - c",
       {{"x", DType::kF16, {7, 33}}, {"w", DType::kF32, {33}}, {"r", DType::kF16, {7, 1}}, {"c", DType::kF32, {1}}}},
      {"y = x * w", {{"x", DType::kF32, {4, 6, 8}}, {"w", DType::kF32, {4, 1, 8}}}},
      {"y = softmax(x) * w", {{"x", DType::kF32, {64, 1000}}, {"w", DType::kF32, {1000}}}},
      {"y = layer_norm(x, w, b)",
       {{"x", DType::kBf16, {3, 64, 768}}, {"w", DType::kF32, {768}}, {"b", DType::kF32, {64, 1}}}},
      {"y = log_softmax(x)", {{"x", DType::kF64, {4, 100001}}}},
      {"y = a - b", {{"a", DType::kF32, {19, 1}}, {"b", DType::kF32, {19, 1}}}},
      {"m = mean(x); s = std(x)", {{"x", DType::kF32, {17, 129}}}},
      {"y = erf(x) + pow(abs(x), 1.7) + max(x, 0) + min(x, w) + (x >= w)",
       {{"x", DType::kF32, {64}}, {"w", DType::kI32, {64}}}},
  };
  for (const Case& c : cases) {
    const GeneratedKernel kernel = emitted(c.formula, c.operands);
    const Result<compile::Compiled> compiled = compile::compile({.source = kernel.source, .arch = "sm_90"});
    EXPECT_TRUE(compiled.ok()) << c.formula << "\n" << compiled.status().message() << "\n" << kernel.source;
  }
}

TEST(Chain, HasOneStepForEachOperationWritten) {
  const Result<std::vector<ChainStep>> chain =
      build_chain(*formula::parse_formula(kGelu), {{"x", DType::kF32, {4096}}}, {DType::kF32});
  ASSERT_TRUE(chain.ok()) << chain.status().message();
  std::vector<std::string> texts;
  int64_t bytes = 0;
  for (const ChainStep& s : *chain) {
    texts.push_back(s.text);
    bytes += s.kernel.bytes;
  }
  EXPECT_THAT(texts, ElementsAre("t1 = 0.5 * x", "t2 = 0.044715 * x", "t3 = t2 * x", "t4 = t3 * x", "t5 = x + t4",
                                 "t6 = 0.79788456 * t5", "t7 = tanh(t6)", "t8 = 1 + t7", "y = t1 * t8"));
  EXPECT_EQ(bytes, (5 * 2 + 4 * 3) * 4 * 4096);
}

TEST(Chain, KeepsNamesAndComposites) {
  const Result<std::vector<ChainStep>> chain =
      build_chain(*formula::parse_formula("m = mean(x); y = (x - m) * w; z = softmax(y)"),
                  {{"x", DType::kF16, {8, 64}}, {"w", DType::kF32, {64}}}, {DType::kF16});
  ASSERT_TRUE(chain.ok()) << chain.status().message();
  std::vector<std::string> texts;
  for (const ChainStep& s : *chain) texts.push_back(s.text);
  EXPECT_THAT(texts, ElementsAre("m = mean(x)", "t2 = x - m", "y = t2 * w", "z = softmax(y)"));
  EXPECT_EQ((*chain)[0].kernel.outputs[0].dtype, DType::kF16);
  EXPECT_EQ((*chain)[2].kernel.outputs[0].dtype, DType::kF32);
  EXPECT_EQ((*chain)[3].kernel.outputs[0].dtype, DType::kF16);
}

}  // namespace
}  // namespace warplens::fuse
