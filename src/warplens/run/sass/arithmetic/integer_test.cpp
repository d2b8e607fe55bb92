// Integer instructions against plain C++.
#include "warplens/run/sass/one_instruction.h"

namespace warplens::simt::sass_machine::testing {
namespace {

struct Case {
  const char* name;
  Word word;
  uint64_t (*expected)(uint64_t a, uint64_t b, uint64_t c);
};

int32_t s(uint64_t x) { return static_cast<int32_t>(x); }

constexpr uint64_t kMinusLow = uint64_t{1} << 31;  // bit 63, as part of `low`
constexpr uint64_t kFalse = bit(90);               // the source predicate is !PT

const Case kCases[] = {
    {"IADD3", word(Opcode::kIadd3, Form::kRegisters, kOut, kA, kB, kC),
     [](uint64_t a, uint64_t b, uint64_t c) { return a + b + c; }},
    {"IADD3 -a", word(Opcode::kIadd3, Form::kRegisters, kOut, kA, kB, kC, bit(72)),
     [](uint64_t a, uint64_t b, uint64_t c) { return b + c - a; }},
    {"IADD3 -b", word(Opcode::kIadd3, Form::kRegisters, kOut, kA, kB | kMinusLow, kC),
     [](uint64_t a, uint64_t b, uint64_t c) { return a - b + c; }},
    {"IADD3 -c", word(Opcode::kIadd3, Form::kRegisters, kOut, kA, kB, kC, bit(75)),
     [](uint64_t a, uint64_t b, uint64_t c) { return a + b - c; }},
    {"IADD3 7", word(Opcode::kIadd3, Form::kImmediateB, kOut, kA, 7, kC),
     [](uint64_t a, uint64_t, uint64_t c) { return a + 7 + c; }},
    {"IMAD", word(Opcode::kImad, Form::kRegisters, kOut, kA, kB, kC),
     [](uint64_t a, uint64_t b, uint64_t c) { return a * b + c; }},
    {"IMAD -c", word(Opcode::kImad, Form::kRegisters, kOut, kA, kB, kC, bit(75)),
     [](uint64_t a, uint64_t b, uint64_t c) { return a * b - c; }},
    {"IMAD 5", word(Opcode::kImad, Form::kImmediateB, kOut, kA, 5, kC),
     [](uint64_t a, uint64_t, uint64_t c) { return a * 5 + c; }},
    {"IMAD +9", word(Opcode::kImad, Form::kImmediateC, kOut, kA, 9, kB),
     [](uint64_t a, uint64_t b, uint64_t) { return a * b + 9; }},
    {"IMAD.HI.U32", word(Opcode::kImadHi, Form::kRegisters, kOut, kA, kB),
     [](uint64_t a, uint64_t b, uint64_t) { return a * b >> 32; }},
    {"IMAD.HI", word(Opcode::kImadHi, Form::kRegisters, kOut, kA, kB, kRegisterZero, bit(73)),
     [](uint64_t a, uint64_t b, uint64_t) { return static_cast<uint64_t>(int64_t{s(a)} * s(b)) >> 32; }},
    {"LEA 3", word(Opcode::kLea, Form::kRegisters, kOut, kA, kB, kRegisterZero, field(75, 3)),
     [](uint64_t a, uint64_t b, uint64_t) { return (a << 3) + b; }},
    {"LEA.HI 4", word(Opcode::kLea, Form::kRegisters, kOut, kA, kB, kC, field(75, 4) | bit(80)),
     [](uint64_t a, uint64_t b, uint64_t c) { return ((c << 32 | a) << 4 >> 32) + b; }},
    {"IABS", word(Opcode::kIabs, Form::kRegisters, kOut, kRegisterZero, kB),
     [](uint64_t, uint64_t b, uint64_t) { return s(b) < 0 ? 0 - b : b; }},
    {"VIADD", word(Opcode::kViadd, Form::kRegisters, kOut, kA, kB),
     [](uint64_t a, uint64_t b, uint64_t) { return a + b; }},
    {"IMNMX (maximum)", word(Opcode::kImnmx, Form::kRegisters, kOut, kA, kB, kRegisterZero, bit(73) | kFalse),
     [](uint64_t a, uint64_t b, uint64_t) -> uint64_t { return s(a) > s(b) ? a : b; }},
    {"IMNMX.U32 (minimum)", word(Opcode::kImnmx, Form::kRegisters, kOut, kA, kB),
     [](uint64_t a, uint64_t b, uint64_t) { return std::min(a, b); }},
    {"VABSDIFF.U32", word(Opcode::kVabsdiff, Form::kRegisters, kOut, kA, kB, kC),
     [](uint64_t a, uint64_t b, uint64_t c) { return (a < b ? b - a : a - b) + c; }},
    {"VIMNMX3 (maximum)", word(Opcode::kVimnmx3, Form::kRegisters, kOut, kA, kB, kC, bit(72) | kFalse),
     [](uint64_t a, uint64_t b, uint64_t c) { return static_cast<uint64_t>(std::max({s(a), s(b), s(c)})); }},
};

TEST(Integer, EachInstructionDoesWhatItsNameSays) {
  for (const uint64_t seed : {1, 2, 3}) {
    const auto sources = numbers(seed);
    for (const Case& c : kCases) expect_lanes(run_one(c.word, sources), sources, c.expected, c.name);
  }
}

TEST(Integer, ProductsOfSixtyFourBitsTakeAddendsOfEitherSign) {
  const auto s4 = numbers();
  for (const bool minus : {false, true}) {
    const Word wide = word(Opcode::kImadWide, Form::kRegisters, kOut, kA, kB, kC, minus ? bit(75) : 0);
    const Outcome outcome = run({wide}, s4);
    for (size_t i = 0; i < kLanes; ++i) {
      const uint64_t c = s4[2][i] | uint64_t{s4[3][i]} << 32, product = uint64_t{s4[0][i]} * s4[1][i];
      EXPECT_EQ(outcome.out[0][i] | uint64_t{outcome.out[1][i]} << 32, minus ? product - c : product + c) << i;
    }
  }
}

/// A uniform addend, or one in a constant, stands where b stands otherwise, and so does its sign.
TEST(Integer, AUniformAddendHasItsSignAtBit63) {
  constexpr uint32_t kUniform = 6;
  const auto s4 = numbers();
  for (const bool minus : {false, true}) {
    const uint64_t low = kUniform | (minus ? kMinusLow : 0);
    const std::vector<Word> code = {word(Opcode::kUmov, Form::kImmediateB, kUniform, kRegisterZero, 1000),
                                    word(Opcode::kImad, Form::kUniformC, kOut, kA, low, kB)};
    expect_lanes(
        run(code, s4).out[0], s4, [&](uint32_t a, uint32_t b, uint32_t) { return minus ? a * b - 1000 : a * b + 1000; },
        "IMAD");
  }
}
TEST(Integer, AConstantAddendHasItsSignAtBit63) {
  const auto s4 = numbers();
  for (const bool minus : {false, true}) {  // c[0x0][0x0] is the number of threads
    const Word imad = word(Opcode::kImad, Form::kConstantC, kOut, kA, minus ? kMinusLow : 0, kB);
    expect_lanes(
        run_one(imad, s4), s4, [&](uint32_t a, uint32_t b, uint32_t) { return minus ? a * b - 32 : a * b + 32; },
        "IMAD");
  }
}
TEST(Integer, SoHasTheAddendOfSixtyFourBits) {
  constexpr uint32_t kUniform = 6;
  const auto s4 = numbers();
  const std::vector<Word> code = {word(Opcode::kUmov, Form::kImmediateB, kUniform, kRegisterZero, 1000),
                                  word(Opcode::kUmov, Form::kImmediateB, kUniform + 1, kRegisterZero, 2),
                                  word(Opcode::kImadWide, Form::kUniformC, kOut, kA, kUniform | kMinusLow, kB)};
  const Outcome outcome = run(code, s4);
  for (size_t i = 0; i < kLanes; ++i) {
    EXPECT_EQ(outcome.out[0][i] | uint64_t{outcome.out[1][i]} << 32,
              uint64_t{s4[0][i]} * s4[1][i] - (uint64_t{2} << 32 | 1000))
        << i;
  }
}

TEST(Integer, PairsOfSixteenBitsHaveTheLeastAndMostOfThree) {
  const auto s4 = numbers();
  const auto three = [&](auto pick, auto as) {
    return [=](uint32_t a, uint32_t b, uint32_t c) {
      uint32_t out = 0;
      for (int at = 0; at < 32; at += 16) {
        const auto of = [&](uint32_t x) { return as(x >> at); };
        out |= (static_cast<uint32_t>(pick({of(a), of(b), of(c)})) & 0xffff) << at;
      }
      return out;
    };
  };
  const auto s16 = [](uint32_t x) { return int32_t{static_cast<int16_t>(x)}; };
  const auto u16 = [](uint32_t x) { return static_cast<int32_t>(x & 0xffff); };
  const auto least = [](std::initializer_list<int32_t> of) { return std::min(of); };
  const auto most = [](std::initializer_list<int32_t> of) { return std::max(of); };
  const uint64_t low = 0x000000000000720f | uint64_t{kOut} << 16 | uint64_t{kA} << 24 | uint64_t{kB} << 32;
  expect_lanes(run_one({low, 0x07800300 | kC}, s4), s4, three(most, s16), "VIMNMX3.S16x2");
  expect_lanes(run_one({low, 0x03800200 | kC}, s4), s4, three(least, u16), "VIMNMX3.U16x2");
}

TEST(Integer, BytesHaveTheLeastAndMostOfTwo) {
  const auto s4 = numbers();
  const auto two = [](auto pick, auto as) {
    return [=](uint32_t a, uint32_t b, uint32_t) {
      uint32_t out = 0;
      for (int at = 0; at < 32; at += 8) out |= (static_cast<uint32_t>(pick(as(a >> at), as(b >> at))) & 0xff) << at;
      return out;
    };
  };
  const auto s8 = [](uint32_t x) { return int32_t{static_cast<int8_t>(x)}; };
  const auto u8 = [](uint32_t x) { return static_cast<int32_t>(x & 0xff); };
  const auto least = [](int32_t a, int32_t b) { return std::min(a, b); };
  const auto most = [](int32_t a, int32_t b) { return std::max(a, b); };
  const uint64_t low = 0x0000000000007248 | uint64_t{kOut} << 16 | uint64_t{kA} << 24 | uint64_t{kB} << 32;
  expect_lanes(run_one({low, 0x07fe0400}, s4), s4, two(most, u8), "VIMNMX.U8x4");
  expect_lanes(run_one({low, 0x03fe0400}, s4), s4, two(least, u8), "VIMNMX.U8x4");
  expect_lanes(run_one({low, 0x07fe0500}, s4), s4, two(most, s8), "VIMNMX.S8x4");
}

TEST(Integer, SumsCarryIntoTheNext) {
  const auto s4 = numbers();  // a + b, then c + d + carry
  const uint64_t to_p0 = (field(81, 0x3ff) & ~bit(90)) & ~field(81, 7);
  const Word low = word(Opcode::kIadd3, Form::kRegisters, kOut, kA, kB, kRegisterZero, 0, to_p0);
  const uint64_t from_p0 = (field(81, 0x3ff) & ~bit(90)) & ~field(87, 7);
  const Word high = word(Opcode::kIadd3, Form::kRegisters, kOutHigh, kC, kD, kRegisterZero, bit(74) | field(77, 0xf),
                         from_p0);  // the second carry is !PT
  const Outcome outcome = run({low, high}, s4);
  for (size_t i = 0; i < kLanes; ++i) {
    const uint64_t a = s4[0][i] | uint64_t{s4[2][i]} << 32, b = s4[1][i] | uint64_t{s4[3][i]} << 32;
    EXPECT_EQ(outcome.out[0][i] | uint64_t{outcome.out[1][i]} << 32, a + b) << i;
  }
}

/// In kernels of so many registers the number 255 would be a register, were it not RZ.
TEST(Integer, RegisterZeroStaysZeroHoweverManyRegistersThereAre) {
  for (const uint32_t registers : {32u, 250u, 251u, 254u, 255u}) {
    const std::vector<Word> code = {word(Opcode::kMov, Form::kImmediateB, kRegisterZero, kRegisterZero, 77),
                                    word(Opcode::kIadd3, Form::kRegisters, kOut, kRegisterZero, kRegisterZero)};
    EXPECT_EQ(run(code, numbers(), 90, registers).out[0], Row{}) << registers;
  }
}

}  // namespace
}  // namespace warplens::simt::sass_machine::testing
