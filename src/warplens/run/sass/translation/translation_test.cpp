// Launches whose instructions become this computer's own: see translation.h. That each instruction does and counts the
// same where it is interpreted, one_instruction.h tests for all of them.
#include "warplens/run/sass/translation/translation.h"

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
  const Row got = run(summing_loop(), s).out[0];
  for (const uint32_t value : got) EXPECT_EQ(value, sum_below(kTimes));
}

TEST(Translation, LanesLeaveALoopOneByOne) {
  std::array<Row, 4> s{};
  std::iota(s[0].begin(), s[0].end(), 1);
  const Row got = run(summing_loop(), s).out[0];
  for (size_t i = 0; i < kLanes; ++i) EXPECT_EQ(got[i], sum_below(s[0][i])) << i;
}

/// Instructions that hand each other registers and predicates, some of them guarded.
class Mixture {
 public:
  explicit Mixture(uint32_t seed) : state_(seed) {}
  Word next() {
    constexpr uint64_t kNoPredicates = field(81, 0x3f);
    const uint64_t writes = field(81, below(3)) | field(84, 7), reads = field(87, below(3)) | bit(90) * below(2);
    Word out{};
    switch (below(10)) {
      case 0: out = make(Opcode::kIadd3, bit(72) * below(2) | bit(75) * below(2), kNoPredicates | field(87, 7)); break;
      case 1: out = make(Opcode::kIadd3, bit(74) | field(77, 15), writes | reads); break;  // .X
      case 2: out = make(Opcode::kIadd3, 0, writes | field(87, 15)); break;
      case 3: out = make(Opcode::kImad, 0, kNoPredicates | field(87, 7)); break;
      case 4:
        out = word(Opcode::kImadWide, Form::kRegisters, 2 * below(4) + 8, any(), any(), 2 * below(4) + 8,
                   bit(73) * below(2));
        break;
      case 5: out = make(Opcode::kLop3, field(72, below(256)), field(81, 7) | field(87, 7)); break;
      case 6: out = make(Opcode::kIsetp, field(76, below(8)) | bit(73) * below(2), writes | field(87, 7)); break;
      case 7: out = make(Opcode::kSel, 0, kNoPredicates | reads); break;
      case 8: out = make(Opcode::kFfma, bit(72) * below(2), 0); break;
      default: out = word(Opcode::kMov, Form::kImmediateB, any(), kRegisterZero, below(1000)); break;
    }
    if (below(3) == 0)
      out.low = (out.low & ~(uint64_t{15} << 12)) | uint64_t{below(3)} << 12 | uint64_t{below(2)} << 15;
    return out;
  }

 private:
  uint32_t below(uint32_t end) {
    state_ = state_ * 1664525 + 1013904223;
    return static_cast<uint32_t>((uint64_t{state_} * end) >> 32);
  }
  uint32_t any() { return kA + below(8); }
  Word make(Opcode opcode, uint64_t modifiers, uint64_t predicates) {
    const uint32_t target = any(), a = any(), b = any();
    return word(opcode, Form::kRegisters, target, a, b, any(), modifiers, predicates);
  }
  uint32_t state_;
};

TEST(Translation, WhatInstructionsHandEachOtherIsTheSameInAllWays) {
  for (uint32_t seed = 1; seed <= 60; ++seed) {
    Mixture mixture(seed);
    std::vector<Word> middle;
    for (int k = 0; k < 40; ++k) middle.push_back(mixture.next());
    (void)run(middle, numbers(seed));  // which compares
  }
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
  const std::vector<Op> none;
  const bool translates = Translation::make(none, 0) != nullptr;
  for (const bool counted : {true, false}) {
    for (const bool translated : {true, false}) {
      launch.counted = counted;
      launch.translated = translated;
      const auto counts = run_machine(program, launch);
      ASSERT_TRUE(counts.ok());
      EXPECT_EQ(counts->stop.kind, Stop::Kind::kIllegalAddress);
      if (counted || (translated && translates)) {
        EXPECT_EQ(counts->stop.pc, 2u);
      }
    }
  }
}

}  // namespace
}  // namespace warplens::simt::sass_machine::testing
