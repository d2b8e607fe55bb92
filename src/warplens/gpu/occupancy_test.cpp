#include "warplens/gpu/occupancy.h"

#include <gtest/gtest.h>

namespace warplens::gpu {
namespace {

const Arch& arch(const char* name) { return **find_arch(name); }

BlockNeeds needs(int threads, int registers, int64_t shared) {
  BlockNeeds out;
  out.threads = threads;
  out.registers = registers;
  out.dynamic_shared_bytes = shared;
  return out;
}

TEST(Occupancy, RegistersLimitABigKernel) {
  const Occupancy got = occupancy(arch("sm_90"), needs(64, 168, 17408));
  EXPECT_EQ(got.blocks, 6);
  EXPECT_EQ(got.warps, 12);
  EXPECT_EQ(limiter_names(got.limiters), std::vector<std::string>{"registers"});
}

TEST(Occupancy, ABlockThatCannotRunHasNone) {
  EXPECT_EQ(occupancy(arch("sm_90"), needs(1024, 72, 0)).blocks, 0);
  EXPECT_EQ(occupancy(arch("sm_86"), needs(128, 32, 100 * 1024)).blocks, 0);
  EXPECT_EQ(occupancy(arch("sm_80"), needs(1025, 16, 0)).blocks, 0);
  EXPECT_EQ(occupancy(arch("sm_80"), needs(0, 16, 0)).blocks, 0);
}

TEST(Occupancy, CarveoutIsTheSmallestThatHoldsTheBlocks) {
  EXPECT_EQ(occupancy(arch("sm_90"), needs(256, 32, 2048)).shared_bytes_configured, 32 * 1024);
}

TEST(NextSteps, EachRaisesOccupancyByItself) {
  for (const Arch& each : all_archs()) {
    const BlockNeeds block = needs(64, 168, 17408);
    const int now = occupancy(each, block).warps;
    for (const Step& step : next_steps(each, block)) EXPECT_GT(step.warps, now) << step.change;
  }
  const auto steps = next_steps(arch("sm_90"), needs(256, 40, 0));
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(steps[0].change, "registers per thread 40 -> 32");
  EXPECT_EQ(steps[0].warps, 64);
}

TEST(FindArch, TakesEverySpelling) {
  for (const char* name : {"sm_90", "sm_90a", "90", "9.0", "compute_90"}) EXPECT_EQ(arch(name).cc(), 90) << name;
  EXPECT_FALSE(find_arch("sm_35").ok());
}

}  // namespace
}  // namespace warplens::gpu
