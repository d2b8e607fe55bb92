// Instructions on bytes and halves of a register, and mma with scales.
#include <cmath>

#include "warplens/run/ptx/testing.h"

namespace warplens::simt::ptx_machine {
namespace {

uint32_t computed(const std::string& instruction, uint32_t a, uint32_t b, uint32_t c = 0) {
  Bench bench(
      ".visible .entry k(.param .u64 out, .param .u32 a, .param .u32 b, .param .u32 c) { .reg .b32 %r<5>; .reg .b64 "
      "%rd1;\n"
      "ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [a]; ld.param.u32 %r2, [b]; ld.param.u32 %r3, [c];\n" +
      instruction + " st.global.u32 [%rd1], %r4; ret; }");
  uint32_t* out = bench.buffer<uint32_t>(1);
  bench.argument(out).argument(a).argument(b).argument(c);
  const LaunchResult result = bench.run();
  EXPECT_FALSE(result.fault.has_value()) << result.fault->text();
  return out[0];
}

TEST(Video, Bytes) {
  EXPECT_EQ(computed("vadd4.u32.u32.u32 %r4, %r1, %r2, %r3;", 0x01ff7f80, 0x02017f80), 0x0300fe00u);
  EXPECT_EQ(computed("vadd4.u32.u32.u32.sat %r4, %r1, %r2, %r3;", 0x01ff7f80, 0x02017f80), 0x03fffeffu);
  EXPECT_EQ(computed("vsub4.s32.s32.s32.sat %r4, %r1, %r2, %r3;", 0x807f0001, 0x01ff0002), 0x807f00ffu);
  EXPECT_EQ(computed("vabsdiff4.u32.u32.u32 %r4, %r1, %r2, %r3;", 0x0a00ff05, 0x050a0a05), 0x050af500u);
  EXPECT_EQ(computed("vabsdiff4.u32.u32.u32.add %r4, %r1, %r2, %r3;", 0x0a00ff05, 0x050a0a05, 7), 5u + 10 + 0xf5 + 7);
  EXPECT_EQ(computed("vset4.u32.u32.ne %r4, %r1, %r2, %r3;", 0x01020304, 0x01000304), 0x00010000u);
}

TEST(Video, Halves) {
  EXPECT_EQ(computed("vavrg2.u32.u32.u32 %r4, %r1, %r2, %r3;", 0xffff0001, 0xffff0002), 0xffff0002u);
  EXPECT_EQ(computed("vmin2.s32.s32.s32 %r4, %r1, %r2, %r3;", 0xffff0001, 0x00017fff), 0xffff0001u);
  EXPECT_EQ(computed("vmax2.u32.u32.u32 %r4, %r1, %r2, %r3;", 0xffff0001, 0x00017fff), 0xffff7fffu);
}

TEST(Video, ConversionsThatPack) {
  EXPECT_EQ(computed("cvt.pack.sat.s16.s32 %r4, %r1, %r2;", 0x00012345, 0xffff0000), 0x7fff8000u);
  EXPECT_EQ(computed("cvt.pack.sat.u8.s32.b32 %r4, %r1, %r2, %r3;", 300, 0xffffffff, 0x1234), 0x1234ff00u);
  EXPECT_EQ(computed("cvt.pack.sat.s4.s32.b32 %r4, %r1, %r2, %r3;", 9, 0xfffffff0, 0x1), 0x178u);
}

/// Ones of e4m3 everywhere: each element is 32 times its row's and its column's scale.
TEST(ScaledMma, ScalesRowsAndColumns) {
  Bench bench(R"(
.visible .entry k(.param .u64 out) { .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.b32 %r2, 0x38383838; mov.f32 %f1, 0f3F800000;
  and.b32 %r3, %r1, 3; shl.b32 %r4, %r3, 8; add.u32 %r4, %r4, 0x7f00;
  mad.lo.u32 %r5, %r1, 1, 0x70;
  mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e4m3.e4m3.f32.ue8m0
    {%f2, %f3, %f4, %f5}, {%r2, %r2, %r2, %r2}, {%r2, %r2}, {%f1, %f1, %f1, %f1}, %r4, {1, 0}, %r5, {0, 2};
  mul.wide.u32 %rd2, %r1, 16; add.u64 %rd1, %rd1, %rd2; st.global.v4.f32 [%rd1], {%f2, %f3, %f4, %f5}; ret; })");
  float* out = bench.buffer<float>(128);
  bench.argument(out);
  bench.config.block = {32, 1, 1};
  const LaunchResult result = bench.run();
  ASSERT_FALSE(result.fault.has_value()) << result.fault->text();
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < 4; ++i) {
      const int column = lane % 4 * 2 + i % 2;
      const float row_scale = i < 2 ? 1 : 2;  // lanes 0 of four hold rows 0 to 7, lanes 1 the others
      const float column_scale = std::ldexp(1.0f, 4 * column + 2 + 0x70 - 127);
      EXPECT_EQ(out[4 * lane + i], 32 * row_scale * column_scale + 1) << lane << " " << i;
    }
  }
}

}  // namespace
}  // namespace warplens::simt::ptx_machine
