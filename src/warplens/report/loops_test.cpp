#include "warplens/report/loops.h"

#include <gmock/gmock.h>

namespace warplens::report {
namespace {

using simt::sass_machine::Program;
using testing::ElementsAre;

std::vector<size_t> places(const std::vector<bool>& marked) {
  std::vector<size_t> out;
  for (size_t k = 0; k < marked.size(); ++k)
    if (marked[k]) out.push_back(k);
  return out;
}

// nvcc 13.0, sm_90: 64 rounds of mixing, left rolled.
const std::vector<sass::Word> kRounds = {{0x0000000106067810, 0x000fe40007ffe0ff},   // IADD3 R6, R6, 1, RZ
                                         {0x0000000004027212, 0x000fe200078ee207},   // LOP3.LUT R2, R4, R0, R7
                                         {0x000000ffff077224, 0x000fe200078e0004},   // IMAD.MOV.U32 R7, RZ, RZ, R4
                                         {0x000000400600780c, 0x000fe40003f05270},   // ISETP.NE.AND P0, PT, R6, 64
                                         {0x0000000203027211, 0x100fe400078f2803},   // LEA.HI R2, R3, R2, R3, 5
                                         {0x0000000000047202, 0x000fe20000000f00},   // MOV R4, R0
                                         {0x000000ffff007224, 0x000fe400078e0003},   // IMAD.MOV.U32 R0, RZ, RZ, R3
                                         {0x5a82799902027836, 0x000fca0000000000},   // VIADD R2, R2, 0x5a827999
                                         {0x0000000200037202, 0x000fe20000000f00},   // MOV R3, R2
                                         {0xfffffffc00d80947, 0x000fec000383ffff}};  // @P0 BRA, to the first

// The same compiler: distances to as many words of shared memory as a parameter says.
const std::vector<sass::Word> kWords = {{0x00000005ff037984, 0x000e220008000800},   // LDS R3, [UR5]
                                        {0x0000000104047890, 0x000fe4000fffe03f},   // UIADD3 UR4, UR4, 1, URZ
                                        {0x0000000405057890, 0x000fc8000fffe03f},   // UIADD3 UR5, UR5, 4, URZ
                                        {0x000000040a007c0c, 0x000fe2000bf03270},   // ISETP.LE.AND P0, PT, R10, UR4
                                        {0x8000000302007221, 0x021fc80000000000},   // FADD R0, R2, -R3
                                        {0x0000000700077221, 0x000fd00000000200},   // FADD R7, |R0|, R7
                                        {0xfffffffc00e48947, 0x000fea000383ffff}};  // @!P0 BRA, to the first

TEST(Loops, CountersMovesAndBranchesAreThereForTheLoop) {
  const LoopOverhead loops = loop_overhead({.architecture = 90, .code = kRounds});
  EXPECT_THAT(places(loops.spared), ElementsAre(0, 2, 3, 5, 6, 8, 9));
  EXPECT_THAT(places(loops.joined), ElementsAre());
}

TEST(Loops, MovesUnderAPredicateChooseAndStay) {
  std::vector<sass::Word> code = kRounds;
  code[2] = {0x000000ffff078224, 0x000fe200078e0004};  // @!P0 IMAD.MOV.U32 R7, RZ, RZ, R4
  EXPECT_THAT(places(loop_overhead({.architecture = 90, .code = code}).spared), ElementsAre(0, 3, 5, 6, 8, 9));
}

TEST(Loops, WordsOfSharedMemoryJoin) {
  std::vector<sass::Word> code = kWords;
  const LoopOverhead loops = loop_overhead({.architecture = 90, .code = code});
  EXPECT_THAT(places(loops.spared), ElementsAre(1, 2, 3, 6));
  EXPECT_THAT(places(loops.joined), ElementsAre(0));
  code[2] = {0x0000000805057890, 0x000fc8000fffe03f};  // UIADD3 UR5, UR5, 8, URZ
  EXPECT_THAT(places(loop_overhead({.architecture = 90, .code = code}).joined), ElementsAre());
}

TEST(Loops, OfALengthThatTheDataDecideStay) {
  std::vector<sass::Word> code = kRounds;
  code[3] = {0x000000400200780c, 0x000fe40003f05270};  // ISETP.NE.AND P0, PT, R2, 64: what was computed
  EXPECT_THAT(places(loop_overhead({.architecture = 90, .code = code}).spared), ElementsAre());
}

}  // namespace
}  // namespace warplens::report
