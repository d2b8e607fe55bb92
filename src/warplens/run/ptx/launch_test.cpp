#include "warplens/run/ptx/testing.h"

namespace warplens::simt::ptx_machine {
namespace {

// Adds an index to one of 64 bins, a tenth of it to a sum, and stores the bin's number.
const char* const kReduce = R"(
.visible .entry k(.param .u64 bins, .param .u64 sum, .param .u64 out) {
  .reg .b32 %r<6>; .reg .b64 %rd<8>; .reg .f32 %f<3>;
  ld.param.u64 %rd1, [bins]; ld.param.u64 %rd2, [sum]; ld.param.u64 %rd3, [out];
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  and.b32 %r5, %r4, 63;
  mul.wide.u32 %rd4, %r5, 4; add.s64 %rd5, %rd1, %rd4;
  red.global.add.u32 [%rd5], %r4;
  cvt.rn.f32.u32 %f1, %r4;
  mul.rn.f32 %f2, %f1, 0f3DCCCCCD;
  red.global.add.f32 [%rd2], %f2;
  mul.wide.u32 %rd6, %r4, 4; add.s64 %rd7, %rd3, %rd6;
  st.global.u32 [%rd7], %r5;
  ret;
})";

struct Outcome {
  std::vector<uint32_t> bins, out;
  float sum = 0;
  LaunchCounts counts;
  uint64_t told = 0;
};

Outcome run_with(uint32_t threads, uint32_t blocks) {
  Bench bench(kReduce);
  auto *bins = bench.buffer<uint32_t>(64), *out = bench.buffer<uint32_t>(blocks * 96);
  auto* sum = bench.buffer<float>(1);
  bench.config.grid = {blocks, 1, 1};
  bench.config.block = {96, 1, 1};
  bench.config.threads = threads;
  Outcome outcome;
  bench.config.progress = [&](const Progress& p) {
    EXPECT_GE(p.blocks_done, outcome.told);
    EXPECT_LE(p.blocks_done, blocks);
    outcome.told = p.blocks_done;
  };
  LaunchResult result = bench.argument(bins).argument(sum).argument(out).run();
  EXPECT_FALSE(result.fault);
  EXPECT_FALSE(result.serialised);
  outcome.bins.assign(bins, bins + 64);
  outcome.out.assign(out, out + blocks * 96);
  outcome.sum = *sum;
  outcome.counts = std::move(result.counts);
  return outcome;
}

TEST(Launch, TheSameAtAnyNumberOfThreads) {
  for (const uint32_t blocks : {1u, 3u, 1000u}) {
    const Outcome one = run_with(1, blocks);
    EXPECT_EQ(one.out[blocks * 96 - 1], (blocks * 96 - 1) % 64);
    for (const uint32_t threads : {2u, 3u, 8u}) {
      const Outcome several = run_with(threads, blocks);
      EXPECT_EQ(several.bins, one.bins);
      EXPECT_EQ(several.out, one.out);
      EXPECT_EQ(several.sum, one.sum);
      EXPECT_EQ(several.counts.blocks, blocks);
      EXPECT_EQ(several.counts.warp_instructions, one.counts.warp_instructions);
      for (size_t i = 0; i < one.counts.instructions.size(); ++i) {
        EXPECT_EQ(several.counts.instructions[i].sectors, one.counts.instructions[i].sectors);
        EXPECT_EQ(several.counts.instructions[i].atomic_sector_serial, one.counts.instructions[i].atomic_sector_serial);
      }
    }
  }
}

}  // namespace
}  // namespace warplens::simt::ptx_machine
