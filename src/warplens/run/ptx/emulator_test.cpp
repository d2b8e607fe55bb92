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
  EXPECT_NE(result.fault->message.find("right past the end of 'a' of 256 bytes"), std::string::npos)
      << result.fault->message;
}

}  // namespace

/// Registers lie side by side, so a wider write would reach the next ones.
TEST(Emulator, RefusesWidthsThatRegistersLack) {
  for (const char* body : {
           "mov.b128 %r1, 0x80000000;",
           "mov.b128 %r1, %q1;",
           "mov.b128 %q1, 1;",
           "mov.b128 %q1, %r1;",
           "mov.b128 %q1, %tid;",
           "mov.b128 %r1, {%l1, %l1};",
           "mov.b16 %h1, {%r1, %r1, %r1, %r1};",
           "mov.b128 {%r1, %r1, %r1, %r1, %r1, %r1, %r1, %r1}, %q1;",
           "atom.exch.b128 %r1, [table], %q1;",
           "ld.global.b128 %r1, [table];",
       }) {
    const std::string text = std::string(
                                 ".global .align 16 .b8 table[64];\n.visible .entry k() { .reg .b16 %h<2>; .reg .b32 "
                                 "%r<2>; .reg .b64 %l<2>; .reg .b128 %q<2>;\n") +
                             body + "\nret; }";
    auto parsed = ptx::parse(".version 9.0\n.target sm_90a\n.address_size 64\n" + text, "test.ptx");
    if (!parsed.ok()) continue;
    Memory memory;
    auto module = Module::load(std::make_shared<ptx::Module>(std::move(*parsed)), memory);
    if (!module.ok()) continue;
    const auto result = launch(**module, "k", {});
    EXPECT_TRUE(!result.ok() || result->fault) << body;
  }
}

TEST(Emulator, WritesNoRegisterWhereTheDestinationIsASink) {
  Bench bench(
      ".visible .entry k(.param .u64 p) { .reg .b64 %l<12>; .reg .b128 %q;\n"
      "ld.param.b64 %l1, [p]; mov.b64 %l2, 2; mov.b64 %l3, 3; mov.b64 %l4, 4; mov.b128 %q, {%l3, %l4};\n"
      "mov.b128 _, {%l3, %l4}; mov.b128 _, %q; st.global.b64 [%l1], %l2; ret; }");
  uint64_t* out = bench.buffer<uint64_t>(1);
  const LaunchResult result = bench.argument(reinterpret_cast<uint64_t>(out)).run();
  EXPECT_FALSE(result.fault);
  EXPECT_EQ(out[0], 2u);
}

}  // namespace warplens::simt::ptx_machine
