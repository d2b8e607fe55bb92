#include <gtest/gtest.h>

#include "warplens/run/sass/counting/clock.h"
#include "warplens/run/sass/one_instruction.h"

namespace warplens::simt::sass_machine::testing {
namespace {

/// Waits that a load from the address in `pair` and the next register takes from DRAM, beyond those from L1.
double waited(uint32_t pair, const std::array<Row, 4>& sources) {
  constexpr uint64_t kBarrier1 = field(110, 1) | field(113, 7), kWaits1 = field(116, 2);
  const std::vector<Word> code = {
      word(Opcode::kLd, Form::kRegisters, kOut, pair, 0, 0, field(72, 9) | kBarrier1, 0),
      word(Opcode::kMov, Form::kImmediateB, kOutHigh, kRegisterZero, 1, kRegisterZero, kWaits1)};
  const Outcome outcome = run(code, sources);
  return outcome.counts.block_cycles[2] - outcome.counts.block_cycles[0];
}

TEST(Memory, AGenericLoadOfSharedMemoryWaitsForL1Alone) {
  std::array<Row, 4> sources{};
  for (uint32_t lane = 0; lane < kLanes; ++lane)
    sources[0][lane] = 2048 + 4 * lane, sources[1][lane] = static_cast<uint32_t>(kSharedWindow >> 32);
  EXPECT_EQ(waited(kA, sources), 0);
  constexpr uint32_t kResults = 4;  // the register pair of their address
  const Cycles answers = cycles_of(sass::Latency::kGlobal);
  EXPECT_GE(waited(kResults, sources), static_cast<double>(answers[2] - answers[0]));
}

}  // namespace
}  // namespace warplens::simt::sass_machine::testing
