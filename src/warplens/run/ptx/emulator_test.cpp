#include "warplens/run/ptx/testing.h"

namespace warplens::simt::ptx_machine {
namespace {

const char* const kVectorAdd = R"(
.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n) {
  .reg .pred %p<2>; .reg .b32 %r<6>; .reg .b64 %rd<9>; .reg .f32 %f<4>;
  ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u64 %rd3, [c]; ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.s32 %p1, %r5, %r1;
  @%p1 bra DONE;
  mul.wide.s32 %rd4, %r5, 4;
  add.s64 %rd5, %rd1, %rd4; add.s64 %rd6, %rd2, %rd4; add.s64 %rd7, %rd3, %rd4;
  ld.global.f32 %f1, [%rd5]; ld.global.f32 %f2, [%rd6];
  add.f32 %f3, %f1, %f2;
  st.global.f32 [%rd7], %f3;
DONE:
  ret;
})";

TEST(Emulator, AddsVectors) {
  Bench bench(kVectorAdd);
  constexpr uint32_t kCount = 1000;
  float *a = bench.buffer<float>(kCount), *b = bench.buffer<float>(kCount), *c = bench.buffer<float>(kCount);
  for (uint32_t i = 0; i < kCount; ++i) {
    a[i] = static_cast<float>(i);
    b[i] = 0.5f;
  }
  bench.config.grid = {8, 1, 1};
  bench.config.block = {128, 1, 1};
  const LaunchResult result = bench.argument(a).argument(b).argument(c).argument(kCount).run();
  ASSERT_FALSE(result.fault) << result.fault->text();
  for (uint32_t i = 0; i < kCount; ++i) ASSERT_EQ(c[i], static_cast<float>(i) + 0.5f);
  // 31 warps have work, one of them 8 lanes; the last warp leaves at the branch.
  const auto& counts = result.counts;
  const auto& load = counts.instructions[15];
  EXPECT_EQ(load.executions, 32u);
  EXPECT_EQ(load.active_threads, 1000u);
  EXPECT_EQ(load.sectors, 125u);
  EXPECT_EQ(counts.instructions[9].divergent_branches, 1u);
  EXPECT_EQ(counts.warps, 32u);
}

TEST(Emulator, NamesTheThreadThatReadsOutOfBounds) {
  Bench bench(kVectorAdd);
  float* a = bench.buffer<float>(64, 0.0f, "a");
  bench.config.block = {128, 1, 1};
  const LaunchResult result = bench.argument(a).argument(a).argument(a).argument(uint32_t{128}).run();
  ASSERT_TRUE(result.fault);
  EXPECT_EQ(result.fault->kind, Fault::Kind::kIllegalAddress);
  EXPECT_EQ(result.fault->place.thread[0], 64u);
  EXPECT_NE(result.fault->message.find("0 bytes past the end of 'a' of 256 bytes"), std::string::npos)
      << result.fault->message;
}

}  // namespace
}  // namespace warplens::simt::ptx_machine
