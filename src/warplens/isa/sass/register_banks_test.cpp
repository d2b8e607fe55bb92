#include "warplens/isa/sass/register_banks.h"

#include <gtest/gtest.h>

#include <vector>

namespace warplens::sass {
namespace {

Word ffma(uint64_t target, uint64_t a, uint64_t b, uint64_t c, uint64_t reuse = 0) {
  return {0x7223 | target << 16 | a << 24 | b << 32, c | reuse << 58};
}
uint32_t waits(RegisterBanks* banks, const Word& word) { return banks->waits(instruction_of(word, 90), word); }

/// Cycles that 100 instructions take which name these registers in turn.
uint32_t cycles(const std::vector<Word>& turn) {
  RegisterBanks banks;
  uint32_t out = 0;
  for (uint32_t k = 0; k < 100; ++k) out += 1 + waits(&banks, turn[k % turn.size()]);
  return out;
}
constexpr uint64_t kKeepB = 2;

// The numbers are an H200's, from benchmarks/gpu/register_banks.py, rounded.
TEST(RegisterBanks, ABankGivesARegisterACycle) {
  EXPECT_EQ(cycles({ffma(30, 0, 1, 255, kKeepB)}), 100u);
  EXPECT_EQ(cycles({ffma(30, 0, 1, 3, kKeepB)}), 100u);
  EXPECT_NEAR(cycles({ffma(30, 0, 1, 2, kKeepB)}), 200, 2);
  EXPECT_NEAR(cycles({ffma(30, 0, 1, 2)}), 200, 2);
  EXPECT_NEAR(cycles({ffma(30, 0, 2, 4)}), 300, 2);
}

TEST(RegisterBanks, WhatOneLacksAnotherMayMakeUpFor) {
  EXPECT_EQ(cycles({ffma(30, 0, 1, 2, kKeepB), ffma(30, 3, 1, 5, kKeepB)}), 100u) << "even ones, then odd ones";
  EXPECT_NEAR(cycles({ffma(30, 0, 1, 2), ffma(30, 1, 0, 3)}), 150, 2);
  EXPECT_NEAR(cycles({ffma(30, 0, 1, 2, kKeepB), ffma(30, 0, 1, 3, kKeepB)}), 150, 2);
  Word other{};
  other.low = 0x7c12;  // a LOP3
  EXPECT_EQ(cycles({ffma(30, 0, 1, 2), other}), 100u);
}

TEST(RegisterBanks, ARegisterThatIsNamedTwiceIsReadOnce) { EXPECT_EQ(cycles({ffma(30, 4, 4, 4)}), 100u); }

}  // namespace
}  // namespace warplens::sass
