#include "warplens/run/ptx/decode/contraction.h"

#include "warplens/run/ptx/testing.h"

namespace warplens::simt::ptx_machine {
namespace {

std::string fused(const std::string& body) {
  const std::string text =
      ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out) {\n"
      ".reg .f32 %f<16>; .reg .f64 %d<8>; .reg .b64 %rd<2>; .reg .pred %p<2>;\n"
      "ld.param.u64 %rd1, [out]; ld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd1+4];\n" +
      body + "\nst.global.f32 [%rd1], %f9; ret; }\n";
  const Result<ptx::Module> module = ptx::parse(text, "test.ptx");
  EXPECT_TRUE(module.ok()) << module.status().message();
  if (!module.ok()) return "";
  const ptx::Function& function = module->functions[0];
  const Contractions found = find_contractions(*module, function, find_register_uses(*module, function));
  std::string result;  // for each add: number among the instructions of the body, of its product, and the signs
  for (uint32_t i = 0; i < function.instructions.size(); ++i) {
    const Contraction& c = found.by_instruction[i];
    if (c.product == ptx::kNone) continue;
    result += std::to_string(i - 3) + (c.negate_product ? "=-" : "=") + std::to_string(c.product - 3) +
              (c.negate_addend ? "- " : "+ ");
  }
  return result;
}

TEST(Contraction, TakesAProductThatOnlySumsRead) {
  EXPECT_EQ(fused("mul.f32 %f3,%f1,%f2; add.f32 %f9,%f3,%f1;"), "1=0+ ");
  EXPECT_EQ(fused("mul.f32 %f3,%f1,%f2; sub.f32 %f9,%f1,%f3;"), "1=-0+ ");
  EXPECT_EQ(fused("mul.f32 %f3,%f1,%f2; sub.f32 %f9,%f3,%f1;"), "1=0- ");
  EXPECT_EQ(fused("mul.f32 %f3,%f1,%f2; add.f32 %f4,%f3,%f1; sub.f32 %f9,%f2,%f3;"), "1=0+ 2=-0+ ");
  EXPECT_EQ(fused("mul.f32 %f3,%f1,%f2; neg.f32 %f4,%f3; add.f32 %f9,%f4,%f1;"), "2=-0+ ");
  EXPECT_EQ(fused("mul.f32 %f3,%f1,%f2; $L: add.f32 %f9,%f3,%f1;"), "1=0+ ") << "a label that nothing jumps to";
}

TEST(Contraction, TakesAQuotientByAReciprocal) {
  EXPECT_EQ(fused("div.full.f32 %f3,%f1,%f2; add.f32 %f9,%f3,%f1;"), "1=0+ ");
  EXPECT_EQ(fused("div.approx.ftz.f32 %f3,%f1,%f2; sub.ftz.f32 %f9,%f1,%f3;"), "1=-0+ ");
  EXPECT_EQ(fused("div.rn.f32 %f3,%f1,%f2; add.f32 %f9,%f3,%f1;"), "");
}

TEST(Contraction, LeavesWhatPtxasLeaves) {
  EXPECT_EQ(fused("mul.rn.f32 %f3,%f1,%f2; add.f32 %f9,%f3,%f1;"), "");
  EXPECT_EQ(fused("mul.f32 %f3,%f1,%f2; add.rn.f32 %f9,%f3,%f1;"), "");
  EXPECT_EQ(fused("mul.sat.f32 %f3,%f1,%f2; add.f32 %f9,%f3,%f1;"), "");
  EXPECT_EQ(fused("mul.ftz.f32 %f3,%f1,%f2; add.f32 %f9,%f3,%f1;"), "");
  EXPECT_EQ(fused("mul.f32 %f3,%f1,%f2; add.f32 %f9,%f3,%f3;"), "");
  EXPECT_EQ(fused("mul.f32 %f9,%f1,%f2; add.f32 %f4,%f9,%f1;"), "") << "also stored";
  EXPECT_EQ(fused("mul.f32 %f3,%f1,%f2; setp.gt.f32 %p1,%f1,%f2; @%p1 bra $L; add.f32 %f9,%f3,%f1; $L:"), "")
      << "another block";
  EXPECT_EQ(fused("setp.gt.f32 %p1,%f1,%f2; @%p1 mul.f32 %f3,%f1,%f2; add.f32 %f9,%f3,%f1;"), "") << "guarded";
}

TEST(Contraction, OfTwoProductsTheFirstOrTheOneWithFewerReaders) {
  EXPECT_EQ(fused("mul.f32 %f3,%f1,%f1; mul.f32 %f4,%f2,%f2; add.f32 %f9,%f3,%f4;"), "2=0+ ");
  EXPECT_EQ(fused("mul.f32 %f3,%f1,%f1; mul.f32 %f4,%f2,%f2; add.f32 %f9,%f4,%f3;"), "2=1+ ");
  EXPECT_EQ(fused("mul.f32 %f3,%f1,%f1; mul.f32 %f4,%f2,%f2; add.f32 %f9,%f4,%f3; add.f32 %f5,%f4,%f1;"), "2=0+ ");
}

TEST(Contraction, RoundsOnce) {
  Bench bench(R"(
.visible .entry k(.param .u64 x, .param .u64 y) { .reg .f32 %f<8>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y]; ld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd1+4];
  mul.f32 %f3, %f1, %f1; sub.f32 %f4, %f2, %f3; st.global.f32 [%rd2], %f4;
  mul.rn.f32 %f5, %f1, %f1; sub.f32 %f6, %f2, %f5; st.global.f32 [%rd2+4], %f6; ret; })");
  float* x = bench.buffer<float>(2);
  float* y = bench.buffer<float>(2);
  x[0] = 1.0f + 0x1p-12f;
  x[1] = 1.0f + 0x1p-11f;
  bench.argument(x).argument(y);
  EXPECT_FALSE(bench.run().fault.has_value());
  EXPECT_EQ(y[0], -0x1p-24f);
  EXPECT_EQ(y[1], 0.0f);
}

}  // namespace
}  // namespace warplens::simt::ptx_machine
