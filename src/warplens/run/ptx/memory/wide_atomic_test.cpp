#include <array>

#include "warplens/run/ptx/testing.h"

namespace warplens::simt::ptx_machine {
namespace {

/// Every lane counts under a lock of 16 bytes: two counters that change together.
TEST(WideAtomic, CompareAndSwapChangesBothHalves) {
  Bench bench(R"(
.visible .entry k(.param .u64 at) {
  .reg .b64 %rd<12>; .reg .b128 %q<4>; .reg .pred %p<3>;
  ld.param.u64 %rd1, [at];
  ld.global.v2.u64 {%rd2, %rd3}, [%rd1];
again:
  mov.b128 %q1, {%rd2, %rd3};
  add.u64 %rd4, %rd2, 1; add.u64 %rd5, %rd3, 3; mov.b128 %q2, {%rd4, %rd5};
  atom.relaxed.gpu.global.cas.b128 %q3, [%rd1], %q1, %q2;
  mov.u64 %rd8, %rd2; mov.u64 %rd9, %rd3;
  mov.b128 {%rd2, %rd3}, %q3;
  setp.ne.u64 %p1, %rd8, %rd2; setp.ne.or.u64 %p1, %rd9, %rd3, %p1;
  @%p1 bra again;
  ret;
})");
  uint64_t* at = bench.buffer<uint64_t>(2);
  bench.argument(at);
  bench.config.grid = {4, 1, 1};
  bench.config.block = {64, 1, 1};
  const LaunchResult result = bench.run();
  EXPECT_FALSE(result.fault.has_value()) << result.fault->text();
  EXPECT_EQ(at[0], 256u);
  EXPECT_EQ(at[1], 768u);
}

TEST(WideAtomic, ExchangeGivesTheOldValue) {
  Bench bench(R"(
.visible .entry k(.param .u64 at) {
  .reg .b64 %rd<8>; .reg .b128 %q<4>;
  ld.param.u64 %rd1, [at]; mov.u64 %rd2, 7; mov.u64 %rd3, 9; mov.b128 %q1, {%rd2, %rd3};
  atom.global.exch.b128 %q2, [%rd1], %q1; mov.b128 {%rd4, %rd5}, %q2; st.global.v2.u64 [%rd1+16], {%rd4, %rd5};
  ret;
})");
  uint64_t* at = bench.buffer<uint64_t>(4, 5);
  bench.argument(at);
  const LaunchResult result = bench.run();
  EXPECT_FALSE(result.fault.has_value()) << result.fault->text();
  EXPECT_EQ((std::array{at[0], at[1], at[2], at[3]}), (std::array<uint64_t, 4>{7, 9, 5, 5}));
}

}  // namespace
}  // namespace warplens::simt::ptx_machine
