// Where lanes go and which memory their addresses name, against plain C++.
#include "warplens/run/sass/one_instruction.h"

namespace warplens::simt::sass_machine::testing {
namespace {

TEST(Flow, ATrapStopsTheLaunch) {
  Program program;
  program.architecture = 90;
  program.registers = 16;
  program.code = {{0x000000040000795c, 0x0000000000300000}, {0x000000000000794d, 0x0000000003800000}};
  program.lines.resize(2);
  Memory memory;
  MachineLaunch launch;
  launch.memory = &memory;
  const auto counts = run_machine(program, launch);
  ASSERT_TRUE(counts.ok());
  EXPECT_EQ(counts->stop.kind, Stop::Kind::kTrap);
  EXPECT_EQ(counts->stop.reason, "the kernel trapped");
}

TEST(Flow, LanesOfOneMaskReduceWithoutTheOthers) {
  std::array<Row, 4> s = numbers();
  const uint32_t masks[] = {0x11111111, 0xeeeeeeee};  // each fourth lane, and the others
  for (size_t i = 0; i < kLanes; ++i) s[0][i] = masks[i % 4 != 0];
  const Word redux{0x00000000090473c4, 0x0000000000014200},                               // REDUX.MAX.S32 UR4, R9
      show{0x00000004000c7c02, 0x0000000008000f00};                                       // MOV R12, UR4
  const std::pair<int, Word> apart[] = {{80, {0x0000000800007348, 0x0000000003c00000}},   // WARPSYNC.EXCLUSIVE R8
                                        {90, {0x0000000008007348, 0x0000000003a00000}},   // the same
                                        {90, {0x0000000008007348, 0x0000000003c00000}}};  // WARPSYNC.COLLECTIVE R8
  for (const auto& [architecture, meet] : apart) {
    const Outcome outcome = run({meet, redux, show}, s, architecture);
    for (size_t i = 0; i < kLanes; ++i) {
      int32_t most = INT32_MIN;
      for (size_t k = 0; k < kLanes; ++k) {
        if (s[0][k] == s[0][i]) most = std::max(most, static_cast<int32_t>(s[1][k]));
      }
      EXPECT_EQ(static_cast<int32_t>(outcome.out[0][i]), most) << i << " of sm_" << architecture;
    }
  }
}

TEST(Flow, LanesOfSeveralMasksDoNotVoteAsOne) {
  const Word all{0x00000000080473c4, 0x0000000000004000},  // REDUX.OR UR4, R8
      alike{0x00000000083f72ca, 0x00000000000200ff},       // R2UR P1, URZ, R8: the lanes that have another value
      apart{0x0000000204049947, 0x000000000b800000};       // @!P1 BRA.DIV UR4, over the next
  const Word together = word(Opcode::kMov, Form::kImmediateB, kOut, kRegisterZero, 1);
  std::array<Row, 4> s{};
  s[0].fill(0xffffffff);
  const Outcome same = run({all, alike, apart, together}, s);
  for (const uint32_t value : same.out[0]) EXPECT_EQ(value, 1u);
  for (uint32_t i = 0; i < kLanes; ++i) s[0][i] = 0xffu << i / 8 * 8;
  const Outcome other = run({all, alike, apart, together}, s);
  for (const uint32_t value : other.out[0]) EXPECT_EQ(value, 0u);
}

TEST(Flow, AGuardedUniformLoadIsLeftOut) {
  const Word never{0x0000003f3f00728c, 0x000000000bf05270},  // UISETP.NE.AND UP0, UPT, URZ, URZ, UPT
      load{0x0000840000040ab9, 0x0000000000000800},          // @UP0 ULDC UR4, the first parameter's low word
      show{0x00000004000c7c02, 0x0000000008000f00};          // MOV R12, UR4
  const Word clear{0x0000000700047882, 0x0000000000000000};  // UMOV UR4, 7
  const Row got = run({clear, never, load, show}, numbers()).out[0];
  for (const uint32_t value : got) EXPECT_EQ(value, 7u);
}

TEST(Flow, LanesThatCameApartTakeTheWayForThat) {
  std::array<Row, 4> s{};
  for (uint32_t i = 0; i < kLanes; ++i) s[0][i] = i;
  const Word first{0x000000ff0800720c, 0x0000000003f05270},  // ISETP.NE.AND P0, PT, R8, RZ, PT
      leave{0x00000000000c8947, 0x0000000003800000},         // @!P0 BRA, over the next three: lane 0
      mask{0xffffffff00047882, 0x0000000008000000},          // UMOV UR4, -1, which lane 0 never does
      apart{0x0000000204047947, 0x000000000b800000};         // BRA.DIV UR4, over the next
  const Word together = word(Opcode::kMov, Form::kImmediateB, kOut, kRegisterZero, 1);
  const Row got = run({first, leave, mask, apart, together}, s).out[0];
  for (const uint32_t value : got) EXPECT_EQ(value, 0u);
}

TEST(Flow, NobodyWaitsForNamedLanesAtTheEndOfTheBranch) {
  std::array<Row, 4> s{};
  for (uint32_t i = 0; i < kLanes; ++i) s[0][i] = i, s[1][i] = 0xffffffff;
  const Word first{0x000000ff0800720c, 0x0000000003f05270},  // ISETP.NE.AND P0, PT, R8, RZ, PT
      region{0x0000000000007945, 0x0000000003800000},        // BSSY B0
      leave{0x0000000000088947, 0x0000000003800000},         // @!P0 BRA, over the next two: lane 0
      meet{0x0000000009007348, 0x0000000003800000},          // WARPSYNC R9, all lanes
      end{0x0000000000007941, 0x0000000003800000};           // BSYNC B0
  const Word mark = word(Opcode::kMov, Form::kImmediateB, kOut, kRegisterZero, 1);
  const Outcome outcome = run({first, region, leave, meet, mark, end}, s);
  for (size_t i = 0; i < kLanes; ++i) EXPECT_EQ(outcome.out[0][i], i != 0);
  EXPECT_EQ(outcome.counts.let_pass.reason, "a *_sync names lanes that wait elsewhere, 0x00000001");
}

TEST(Flow, LocalMemoryHasUniformAddresses) {
  const std::array<Row, 4> s = numbers();
  const Word place = word(Opcode::kMov, Form::kImmediateB, 14, kRegisterZero, 0x10);
  const Word put{0x000000080e007387, 0x0000000000100800},  // STL [R14], R8
      share{0x000000000e0472ca, 0x00000000000e0000},       // R2UR UR4, R14
      get{0x00000004ff0c7983, 0x0000000008100800};         // LDL R12, [UR4]
  EXPECT_EQ(run({place, put, share, get}, s).out[0], s[0]);
}

TEST(Flow, EveryAddressLiesInOneSpace) {
  std::array<Row, 4> s = numbers();
  const uint64_t windows[] = {0x7f0000000000, kSharedWindow, kLocalWindow};
  for (size_t i = 0; i < kLanes; ++i) {
    const uint64_t address = windows[i % 3] + 16 * i;
    s[0][i] = static_cast<uint32_t>(address);
    s[1][i] = static_cast<uint32_t>(address >> 32);
  }
  const uint32_t spaces[] = {1, 5, 3};  // global, shared, local
  for (size_t which = 0; which < 3; ++which) {
    const Word qspc{0x00000000000073aa | uint64_t{kA} << 24, field(72, spaces[which])};  // to P0
    const Word show = word(Opcode::kP2r, Form::kImmediateB, kOut, kRegisterZero, 1, kRegisterZero, 0, 0);
    const Outcome outcome = run({qspc, show}, s);
    for (size_t i = 0; i < kLanes; ++i) EXPECT_EQ(outcome.out[0][i], i % 3 == which ? 1u : 0u) << which << " " << i;
  }
}

}  // namespace
}  // namespace warplens::simt::sass_machine::testing
