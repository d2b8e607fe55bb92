// Launches in which nothing is counted, whose instructions become this computer's own: see translation.h. That each
// instruction does the same as where it is counted, one_instruction.h tests for all of them.
#include "warplens/run/sass/translation.h"

#include <numeric>

#include "warplens/run/sass/one_instruction.h"

namespace warplens::simt::sass_machine::testing {
namespace {

/// out = 0 + 1 + ... below a, which lanes leave one by one where they differ.
std::vector<Word> summing_loop() {
  constexpr uint32_t kStep = 14;
  return {word(Opcode::kMov, Form::kImmediateB, kStep, kRegisterZero, 0),
          word(Opcode::kIadd3, Form::kRegisters, kOut, kOut, kStep),
          word(Opcode::kIadd3, Form::kImmediateB, kStep, kStep, 1),
          {0x000000080e00720c, 0x0000000003f01270},   // ISETP.LT.AND P0, PT, R14, R8, PT
          {0xfffffffc00f00947, 0x000000000383ffff}};  // @P0 BRA, back to the sum
}

uint32_t sum_below(uint32_t limit) {
  uint32_t sum = 0;
  for (uint32_t i = 0; i < limit; ++i) sum += i;
  return sum;
}

TEST(Translation, ALoopGoesOnAfterTheWarpsTurn) {
  constexpr uint32_t kTimes = 30000;  // instructions of several turns
  std::array<Row, 4> s{};
  s[0].fill(kTimes);
  for (const uint32_t value : run(summing_loop(), s).out[0]) EXPECT_EQ(value, sum_below(kTimes));
}

TEST(Translation, LanesLeaveALoopOneByOne) {
  std::array<Row, 4> s{};
  std::iota(s[0].begin(), s[0].end(), 1);
  const Row got = run(summing_loop(), s).out[0];
  for (size_t i = 0; i < kLanes; ++i) EXPECT_EQ(got[i], sum_below(s[0][i])) << i;
}

TEST(Translation, AFaultNamesTheInstructionThatCausedIt) {
  Program program;
  program.architecture = 90;
  program.registers = 16;
  program.code = {word(Opcode::kMov, Form::kImmediateB, 2, kRegisterZero, 16),
                  word(Opcode::kMov, Form::kImmediateB, 3, kRegisterZero, 0),
                  {0x0000000402027981, 0x000ea2000c1e1900},  // LDG.E R2, [R2], where nothing lies
                  {0x0000000402047981, 0x000ea2000c1e1900},
                  {0x000000000000794d, 0x0000000003800000}};
  program.lines.resize(program.code.size());
  Memory memory;
  MachineLaunch launch;
  launch.block = {kLanes, 1, 1};
  launch.memory = &memory;
  launch.counted = false;
  const auto counts = run_machine(program, launch);
  ASSERT_TRUE(counts.ok());
  EXPECT_EQ(counts->stop.kind, Stop::Kind::kIllegalAddress);
  const std::vector<Op> none;
  if (Translation::make(none, 0)) {
    EXPECT_EQ(counts->stop.pc, 2u);
  }
}

}  // namespace
}  // namespace warplens::simt::sass_machine::testing
