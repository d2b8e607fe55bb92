// Arithmetic that is translated where nothing is counted, with the numbers that are unlike others: run() compares it
// with what handlers compute, for whole warps and for parts of one.
#include <bit>
#include <random>

#include "warplens/run/sass/one_instruction.h"
#include "warplens/simt/lanes/special.h"

namespace warplens::simt::sass_machine::testing {
namespace {

/// Zeros, denormals, infinities, NaN, ends of the integers, and any bits; doubles where two rows are taken together.
std::array<Row, 4> odd_numbers(uint32_t seed) {
  constexpr uint32_t kOdd[] = {0,          0x80000000, 1,          0x007fffff, 0x80000001, 0x7f800000, 0xff800000,
                               0x7fffffff, 0x7fc00000, 0x00800000, 0x3f800000, 0xbf000000, 0x4effffff, 0x4f000000,
                               0xcf000000, 0x4f800000, 0x41c80000, 0xc0490fdb, 0x7ff00000, 0xfff80001, 0x3ff00000};
  std::mt19937 random(seed);
  std::array<Row, 4> out;
  for (Row& row : out) {
    for (uint32_t& value : row) {
      const auto any = static_cast<uint32_t>(random());
      value = any % 3 == 0   ? kOdd[any / 3 % std::size(kOdd)]
              : any % 3 == 1 ? (static_cast<uint32_t>(random()) & 0x83ffffff) + 0x3e000000
                             : static_cast<uint32_t>(random());
    }
  }
  return out;
}

/// Runs it with several sets of numbers, guarded by a predicate that half of the lanes have, or by none.
void compare(const Word& word) {
  for (uint32_t seed = 0; seed < 4; ++seed) {
    constexpr uint64_t kIfP0 = 7 << 12;
    Word one = word;
    std::vector<Word> code;
    if (seed % 2) {
      one.low &= ~kIfP0;
      code.push_back(testing::word(Opcode::kIsetp, Form::kImmediateB, 0, 0, 13, kRegisterZero, field(76, 1),
                                   field(81, 0) | field(84, 7) | field(87, 7)));
    }
    code.push_back(one);
    (void)run(code, odd_numbers(seed));
    if (::testing::Test::HasFailure()) FAIL() << std::hex << word.high << ":" << word.low;
  }
}

constexpr uint64_t kSecondMinus = uint64_t{1} << 31, kSecondSize = uint64_t{1} << 30;  // of what is at bit 32

TEST(TranslateNumbers, SinglePrecisionWithSignsClampsAndFlushes) {
  for (const uint64_t signs : {uint64_t{0}, bit(72), bit(73), bit(72) | bit(75)}) {
    for (const uint64_t second : {uint64_t{0}, kSecondMinus, kSecondMinus | kSecondSize}) {
      for (const uint64_t how : {uint64_t{0}, bit(77), bit(80), bit(77) | bit(80), field(78, 3)}) {
        compare(word(Opcode::kFfma, Form::kRegisters, kOut, kA, kB | second, kC, signs | how, 0));
        compare(word(Opcode::kFmul, Form::kRegisters, kOut, kA, kB | second, kRegisterZero,
                     (signs & ~bit(75)) | how | field(84, 4), 0));
        compare(
            word(Opcode::kFadd, Form::kRegisters, kOut, kA, kB | second, kRegisterZero, (signs & ~bit(75)) | how, 0));
      }
    }
  }
}

TEST(TranslateNumbers, ComparesSelectionsAndExtremes) {
  for (uint64_t order = 0; order < 16; ++order) {
    const uint64_t sets = field(81, 1) | field(84, 2) | field(87, 7);
    for (const uint64_t how : {uint64_t{0}, bit(80), bit(72), bit(73)}) {
      const Word compares =
          word(Opcode::kFsetp, Form::kRegisters, 0, kA, kB, kRegisterZero, field(76, order) | how, sets);
      const Word doubles =
          word(Opcode::kDsetp, Form::kRegisters, 0, kA, kC, kRegisterZero, field(76, order) | (how & ~bit(80)), sets);
      for (const Word& one : {compares, doubles}) {
        const std::vector<Word> code = {
            one,
            word(Opcode::kFsel, Form::kRegisters, kOut, kA, kB | kSecondMinus, kRegisterZero, bit(73), field(87, 1)),
            word(Opcode::kSel, Form::kRegisters, kOutHigh, kA, kB, kRegisterZero, 0, field(87, 2))};
        for (uint32_t seed = 0; seed < 3; ++seed) (void)run(code, odd_numbers(seed));
      }
    }
  }
  for (const uint64_t which : {uint64_t{7}, uint64_t{15}}) {
    for (const uint64_t signs : {uint64_t{0}, bit(72), bit(73)})
      compare(word(Opcode::kFmnmx, Form::kRegisters, kOut, kA, kB, kRegisterZero, signs, field(87, which)));
  }
}

TEST(TranslateNumbers, DoublesWithSigns) {
  const uint32_t c = kC;
  for (const uint64_t signs : {uint64_t{0}, bit(72), bit(73), bit(75), bit(72) | bit(75), bit(74) | bit(75)}) {
    for (const uint64_t second : {uint64_t{0}, kSecondMinus, kSecondSize, kSecondMinus | kSecondSize}) {
      compare(word(Opcode::kDfma, Form::kRegisters, kOut, kA, c | second, kA, signs, 0));
      compare(word(Opcode::kDfma, Form::kRegisters, kA, c, c | second, kA, signs, 0));
      compare(
          word(Opcode::kDmul, Form::kRegisters, kOut, kA, c | second, kRegisterZero, signs & ~(bit(74) | bit(75)), 0));
      compare(word(Opcode::kDadd, Form::kRegisters, kOut, kA, kRegisterZero, c, signs, 0));
    }
  }
}

TEST(TranslateNumbers, ConversionsAndWholeNumbers) {
  for (uint64_t mode = 0; mode < 4; ++mode) {
    for (const uint64_t is_signed : {uint64_t{0}, bit(72)}) {
      for (const uint64_t second : {uint64_t{0}, kSecondMinus, kSecondSize})
        compare(word(Opcode::kF2i, Form::kRegisters, kOut, kRegisterZero, kB | second, 0,
                     field(75, 2) | field(84, 2) | field(78, mode) | is_signed, 0));
    }
    compare(word(Opcode::kFrnd, Form::kRegisters, kOut, kRegisterZero, kB, 0,
                 field(75, 2) | field(84, 2) | field(78, mode), 0));
    for (const uint64_t is_signed : {uint64_t{0}, bit(74)}) {
      compare(word(Opcode::kI2fp, Form::kRegisters, kOut, kRegisterZero, kB, 0,
                   field(75, 2) | field(78, mode) | is_signed, 0));
      for (uint64_t size = 0; size < 3; ++size) {
        for (uint64_t part = 0; part < (size == 0 ? 4 : size == 1 ? 2 : 1); ++part)
          compare(word(Opcode::kI2f, Form::kRegisters, kOut, kRegisterZero, kB | part << 28, 0,
                       field(75, 2) | field(84, size) | field(78, mode) | is_signed, 0));
      }
    }
  }
}

TEST(TranslateNumbers, FloatsBecomeDoubles) {
  const uint64_t sizes = field(75, 3) | field(84, 2);
  for (const uint64_t second : {uint64_t{0}, kSecondMinus, kSecondSize, kSecondMinus | kSecondSize}) {
    compare(word(Opcode::kF2f64, Form::kRegisters, kOut, kRegisterZero, kB | second, 0, sizes, 0));
    compare(word(Opcode::kF2f64, Form::kRegisters, kB, kRegisterZero, kB | second, 0, sizes, 0));
  }
}

TEST(TranslateNumbers, PairsOfHalfPrecision) {
  constexpr uint64_t kPlaces[] = {0, 2, 3};  // both halves, the low one twice, the high one twice
  for (const uint64_t first : kPlaces) {
    for (const uint64_t second : kPlaces) {
      for (const uint64_t signs : {uint64_t{0}, kSecondMinus, kSecondSize, kSecondMinus | kSecondSize}) {
        const uint64_t low = kB | second << 28 | signs, high = field(74, first) | (signs ? bit(72) : 0),
                       third = field(81, kPlaces[(first + second) % 3]) | (signs ? bit(84) : bit(83));
        compare(word(Opcode::kHadd2, Form::kRegisters, kOut, kA, low, kRegisterZero, high, 0));
        compare(word(Opcode::kHmul2, Form::kRegisters, kOut, kA, low, kRegisterZero, high, 0));
        compare(word(Opcode::kHfma2, Form::kRegisters, kOut, kA, low, kC, high | third, 0));
        compare(word(Opcode::kHfma2, Form::kRegisters, kOut, kA, low, kC, high | bit(86), 0));
        compare(word(Opcode::kHfma2, Form::kRegisters, kOut, kA, low, kC, high | third | bit(85), 0));
      }
    }
  }
  for (const uint64_t bfloat : {uint64_t{0}, bit(85)}) {
    compare(word(Opcode::kHadd2, Form::kRegisters, kOut, kA, kB, kRegisterZero, bfloat, 0));
    compare(word(Opcode::kHmul2, Form::kRegisters, kOut, kA, kB | kSecondMinus, kRegisterZero, bfloat, 0));
    compare(word(Opcode::kHfma2, Form::kRegisters, kOut, kA, kB, kC, bfloat | bit(86), 0));
  }
  compare(word(Opcode::kHadd2, Form::kImmediateC, kOut, kA, 0x3c00c000, kRegisterZero, 0, 0));
  compare(word(Opcode::kHfma2, Form::kImmediateB, kOut, kA, 0x7bff0001, kC, 0, 0));
  compare(word(Opcode::kHfma2, Form::kImmediateC, kOut, kA, 0x04008001, kC, bit(72), 0));
}

TEST(TranslateNumbers, LargeProductsOfBfloatsRoundOnce) {
  // 7 * 37 * 2^119 lies between two numbers of 8 bits, 129 and 130 times 2^120; a little less is nearer to the first.
  std::array<Row, 4> s{};
  s[0].fill(0x60e0);  // 7 * 2^64
  s[1].fill(0x5d94);  // 37 * 2^55
  s[2].fill(0xdd80);  // -2^60
  for (const uint32_t got : run_one(word(Opcode::kHfma2, Form::kRegisters, kOut, kA, kB, kC, bit(85), 0), s))
    EXPECT_EQ(got, 0x7f01u);
  s[2].fill(0);
  for (const uint32_t got : run_one(word(Opcode::kHfma2, Form::kRegisters, kOut, kA, kB, kC, bit(85), 0), s))
    EXPECT_EQ(got, 0x7f02u);
}

TEST(TranslateNumbers, ShiftsProductsBytesAndShuffles) {
  for (uint64_t how = 0; how < 32; ++how) {
    const uint64_t modifiers = field(73, how & 3) | field(75, how >> 2 & 3) | field(80, how >> 4 & 1);
    compare(word(Opcode::kShf, Form::kRegisters, kOut, kA, kB, kC, modifiers, 0));
    for (const uint64_t by : {0, 13, 32, 63, 77})
      compare(word(Opcode::kShf, Form::kImmediateB, kOut, kA, by, kC, modifiers, 0));
  }
  for (const uint64_t how : {uint64_t{0}, bit(73)}) {
    compare(word(Opcode::kImadHi, Form::kRegisters, kOut, kA, kB, kC, how, field(81, 7) | field(87, 15)));
    compare(word(Opcode::kImadHi, Form::kRegisters, kOut, kA, kB, kRegisterZero, how, field(81, 7) | field(87, 15)));
  }
  for (const uint64_t in : {uint64_t{0}, uint64_t{7}, uint64_t{15}})
    compare(word(Opcode::kImad, Form::kRegisters, kOut, kA, kB, kC, bit(74), field(81, 7) | field(87, in)));
  for (const uint64_t bytes : {0x3210, 0x7654, 0x0145, 0x7531, 0x4444, 0x88c0, 0x6420})
    compare(word(Opcode::kPrmt, Form::kImmediateB, kOut, kA, bytes, kC, 0, 0));
  compare(word(Opcode::kIabs, Form::kRegisters, kOut, kRegisterZero, kB, kRegisterZero, 0, 0));
  for (uint64_t mode = 0; mode < 4; ++mode) {
    for (const uint64_t by : {1, 5, 16, 31})  // both immediate: the lane and the mask
      compare(word(Opcode::kShfl, Form::kUniformC, kOut, kA, by << 21 | uint64_t{0x1c1f} << 8 | mode << 26,
                   kRegisterZero, 0, field(81, 1)));
  }
}

TEST(TranslateNumbers, SpecialFunctionsAreThoseOfPtx) {
  const auto function = [](uint64_t mode, float x) {
    switch (mode) {
      case 0: return simt::cosine_of_turns(x);
      case 1: return simt::sine_of_turns(x);
      case 2: return simt::ex2(x);
      case 3: return simt::lg2(x);
      case 4: return simt::reciprocal(x);
      case 5: return simt::rsqrt(x);
      default: return simt::root(x);
    }
  };
  const auto expected = [&](uint64_t mode, uint32_t bits) {
    const auto x = std::bit_cast<float>(bits);
    if (mode < 2) return simt::canonical(x - x == 0 ? function(mode, x) : x - x);
    return simt::canonical(simt::flush(function(mode, simt::flush(x))));
  };
  for (uint32_t seed = 0; seed < 40; ++seed) {
    const auto s = odd_numbers(seed);
    for (uint64_t mode = 0; mode < 9; ++mode) {
      if (mode == 6 || mode == 7) continue;
      const Row got = run_one(word(Opcode::kMufu, Form::kRegisters, kOut, kRegisterZero, kB, 0, field(74, mode), 0), s);
      for (size_t i = 0; i < kLanes; ++i) {
        EXPECT_EQ(got[i], std::bit_cast<uint32_t>(expected(mode, s[1][i]))) << "MUFU " << mode << " of " << s[1][i];
      }
    }
  }
}

}  // namespace
}  // namespace warplens::simt::sass_machine::testing
