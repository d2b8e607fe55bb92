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
