#include <gmock/gmock.h>

#include "warplens/run/ptx/testing.h"

namespace warplens::simt::ptx_machine {
namespace {

/// Lane i takes 16 + 4 * i bytes twice, the second time again after a restore, and writes to all of it.
constexpr const char* kTwice = R"(
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<12>; .reg .b64 %rd<12>;
  mov.u32 %r1, %tid.x; mad.lo.u32 %r2, %r1, 4, 16; cvt.u64.u32 %rd1, %r2;
  alloca.u64 %rd2, %rd1, 16; st.local.u32 [%rd2], %r1; st.local.u32 [%rd2+12], %r2;
  stacksave.u64 %rd3;
  alloca.u64 %rd4, %rd1; st.local.u32 [%rd4], 77;
  stackrestore.u64 %rd3;
  alloca.u64 %rd5, %rd1; ld.local.u32 %r3, [%rd5];
  sub.u64 %rd6, %rd4, %rd5; cvt.u32.u64 %r4, %rd6;
  ld.local.u32 %r5, [%rd2]; ld.local.u32 %r6, [%rd2+12];
  add.u32 %r5, %r5, %r6; add.u32 %r5, %r5, %r4; add.u32 %r5, %r5, %r3;
  cvta.local.u64 %rd7, %rd2; ld.u32 %r7, [%rd7]; add.u32 %r5, %r5, %r7;
  ld.param.u64 %rd8, [out]; mul.wide.u32 %rd9, %r1, 4; add.u64 %rd8, %rd8, %rd9; st.global.u32 [%rd8], %r5;
  ret;
})";

TEST(Stack, LanesTakeAndGiveBackTheirOwn) {
  Bench bench(kTwice);
  uint32_t* out = bench.buffer<uint32_t>(32);
  bench.argument(out);
  bench.config.block = {32, 1, 1};
  const LaunchResult result = bench.run();
  EXPECT_FALSE(result.fault.has_value()) << result.fault->text();
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], 2 * i + 16 + 4 * i);
}

TEST(Stack, TooMuchIsAFault) {
  Bench bench(R"(
.visible .entry k() { .reg .b64 %rd<3>; mov.u64 %rd1, 1000000; alloca.u64 %rd2, %rd1; ret; })");
  const LaunchResult result = bench.run();
  ASSERT_TRUE(result.fault.has_value());
  EXPECT_THAT(result.fault->message, testing::HasSubstr("alloca of 1000000 bytes"));
}

TEST(Stack, OnlySavedEndsAreRestored) {
  Bench bench(R"(
.visible .entry k() { .reg .b64 %rd<3>; mov.u64 %rd1, 4096; stackrestore.u64 %rd1; ret; })");
  const LaunchResult result = bench.run();
  ASSERT_TRUE(result.fault.has_value());
  EXPECT_THAT(result.fault->message, testing::HasSubstr("no stacksave of this function"));
}

}  // namespace
}  // namespace warplens::simt::ptx_machine
