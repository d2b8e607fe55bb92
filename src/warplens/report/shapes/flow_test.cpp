#include "warplens/report/shapes/flow.h"

#include <gmock/gmock.h>

#include "warplens/report/shapes/sums.h"

namespace warplens::report {
namespace {

using simt::sass_machine::Program;
using testing::ElementsAre;

// nvcc 13.0, sm_90: distances to as many words of shared memory as a parameter says.
const std::vector<sass::Word> kDistances = {{0x00000005ff037984, 0x000e220008000800},   // LDS R3, [UR5]
                                            {0x0000000104047890, 0x000fe4000fffe03f},   // UIADD3 UR4, UR4, 1, URZ
                                            {0x0000000405057890, 0x000fc8000fffe03f},   // UIADD3 UR5, UR5, 4, URZ
                                            {0x000000040a007c0c, 0x000fe2000bf03270},   // ISETP.LE.AND P0, PT, R10, UR4
                                            {0x8000000302007221, 0x021fc80000000000},   // FADD R0, R2, -R3
                                            {0x0000000700077221, 0x000fd00000000200},   // FADD R7, |R0|, R7
                                            {0xfffffffc00e48947, 0x000fea000383ffff}};  // @!P0 BRA, to the first
bool all_ran(size_t) { return true; }
const Program kProgram = {.architecture = 90, .code = kDistances};

TEST(Flow, OperandsComeFromThisTurnOrTheOneBefore) {
  const Flow flow(kProgram, all_ran);
  const std::vector<LoopRange> loops = flow.loops_about(4);
  ASSERT_EQ(loops.size(), 2u);
  EXPECT_EQ(loops[0].begin, 0u);
  EXPECT_EQ(loops[0].branch, 6u);
  EXPECT_EQ(flow.definition(loops[0], 4, 3).at, 0u);
  EXPECT_FALSE(flow.definition(loops[0], 4, 3).carried);
  EXPECT_FALSE(flow.definition(loops[0], 4, 2).known());  // the loop does not change it
  EXPECT_EQ(flow.definition(loops[0], 5, 7).at, 5u);
  EXPECT_TRUE(flow.definition(loops[0], 5, 7).carried);
}

TEST(Flow, WhatNoThreadRanGivesNothing) {
  const Flow flow(kProgram, [](size_t k) { return k != 0; });
  const LoopRange loop = flow.loops_about(4)[0];
  EXPECT_FALSE(flow.definition(loop, 4, 3).known());
  EXPECT_EQ(flow.definition(loop, 5, 7).at, 5u);
}

TEST(Flow, LoadsOfAnAddressThatGoesOnVary) {
  const Flow flow(kProgram, all_ran);
  const LoopRange loop = flow.loops_about(4)[0];
  EXPECT_TRUE(flow.varies(loop, 4, 3));
  EXPECT_FALSE(flow.varies(loop, 4, 2));
}

TEST(Sums, GoOnFromTurnToTurn) {
  const Flow flow(kProgram, all_ran);
  const std::vector<Sum> sums =
      find_sums(flow, kDistances.size(), [](size_t k) { return k == 5 ? uint32_t{7} : kNoTerm; });
  ASSERT_EQ(sums.size(), 1u);
  EXPECT_THAT(sums[0].terms, ElementsAre(5));
  EXPECT_TRUE(sums[0].carried);
  EXPECT_EQ(sums[0].about.size(), 1u);
}

}  // namespace
}  // namespace warplens::report
