#include "warplens/isa/sass/instructions.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace warplens::sass {
namespace {

Word word_of(uint32_t code, uint32_t form) { return {code | form << 9, 0}; }

TEST(Instructions, RowsStandInTheOrderOfTheirNumbers) {
  ASSERT_EQ(instructions().size(), kOpcodes);
  for (size_t k = 0; k < kOpcodes; ++k) EXPECT_EQ(instructions()[k].opcode, static_cast<Opcode>(k));
}

TEST(Instructions, EveryRowIsReached) {
  std::set<Opcode> reached;
  for (const int architecture : {70, 80, 90, 100, 120}) {
    for (uint32_t code = 0; code < 512; ++code) {
      for (uint32_t form = 0; form < 8; ++form)
        reached.insert(instruction_of(word_of(code, form), architecture).opcode);
    }
  }
  reached.erase(Opcode::kUnknown);
  EXPECT_EQ(reached.size(), kOpcodes);
}

TEST(Instructions, OneCodeMayBeTwoInstructions) {
  EXPECT_EQ(instruction_of(word_of(0x035, 1), 90).opcode, Opcode::kHfma2Mma);
  EXPECT_EQ(instruction_of(word_of(0x035, 1), 120).opcode, Opcode::kIadd);
  EXPECT_EQ(instruction_of(word_of(0x1ab, 4), 90).opcode, Opcode::kErrbar);
  EXPECT_EQ(instruction_of(word_of(0x1ab, 2), 90).opcode, Opcode::kCgaerrbar);
  EXPECT_EQ(instruction_of(word_of(0x18e, 4), 80).name, "RED");
  EXPECT_EQ(instruction_of(word_of(0x18e, 4), 90).name, "REDG");
}

TEST(Instructions, AtomicsOfAnyKindTakeAsLongAsGlobalMemory) {
  for (const Opcode opcode :
       {Opcode::kAtom, Opcode::kAtomCas, Opcode::kAtomFloat, Opcode::kAtomg, Opcode::kAtomgCas, Opcode::kAtomgFloat})
    EXPECT_EQ(instruction(opcode).latency, Latency::kGlobalAtomic) << static_cast<int>(opcode);
}

TEST(Instructions, WhatTakesTimeOrMovesBytesSaysSo) {
  for (const Instruction& row : instructions()) {
    const bool memory =
        row.category == Category::kLoad || row.category == Category::kStore || row.category == Category::kAtomic;
    EXPECT_EQ(memory && row.access == Access::kNone, false) << row.name;
    const bool atomic = row.access == Access::kGenericAtomic || row.access == Access::kGlobalAtomic;
    EXPECT_EQ(atomic, row.latency == Latency::kGlobalAtomic) << row.name;
    EXPECT_TRUE(row.arithmetic.flops == 0 || row.arithmetic.precision != Precision::kNone) << row.name;
  }
}

TEST(Instructions, FlopsAreThoseOfTheMnemonic) {
  EXPECT_EQ(instruction(Opcode::kFfma).arithmetic.flops, 2);
  EXPECT_EQ(instruction(Opcode::kHadd2).arithmetic.flops, 2);
  EXPECT_EQ(instruction(Opcode::kHfma2).arithmetic.flops, 4);
  EXPECT_EQ(instruction(Opcode::kHfma2Mma).arithmetic.flops, 4);
  EXPECT_EQ(instruction(Opcode::kDadd).arithmetic.flops, 1);
  EXPECT_EQ(instruction(Opcode::kImad).arithmetic.flops, 0);
}

TEST(Words, TheLowSourceIsBOrC) {
  const uint64_t negated_low = uint64_t{1} << 63;
  const Word registers{0x224, uint64_t{1} << 11};  // bit 75
  EXPECT_TRUE(registers.negates_c());
  EXPECT_FALSE(registers.negates_b());
  const Word uniform{negated_low | 0xe24, 0};
  EXPECT_TRUE(uniform.holds_c_low());
  EXPECT_TRUE(uniform.negates_c());
  EXPECT_FALSE(uniform.negates_b());
  const Word immediate{negated_low | 0x424, 0};
  EXPECT_FALSE(immediate.negates_c());  // bit 63 is the number's
}

}  // namespace
}  // namespace warplens::sass
