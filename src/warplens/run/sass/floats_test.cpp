// Floating-point instructions of all widths, and conversions, against plain C++.
#include <bit>
#include <cmath>

#include "warplens/run/sass/one_instruction.h"

namespace warplens::simt::sass_machine::testing {
namespace {

float f(uint32_t bits) { return std::bit_cast<float>(bits); }

/// Numbers without denormals and NaN, some equal, of both signs.
std::array<Row, 4> floats() {
  std::array<Row, 4> out = numbers(5);
  for (Row& row : out) {
    for (uint32_t& value : row) {
      const float small = static_cast<float>(static_cast<int32_t>(value >> 16)) / 64.0f - 300.0f;
      value = std::bit_cast<uint32_t>(value % 7 == 0 ? 0.0f : value % 11 == 0 ? INFINITY : small);
    }
  }
  return out;
}

TEST(Floats, ToIntegersTheyAreCutOff) {
  const auto s = floats();
  const Word f2i = word(Opcode::kF2i, Form::kRegisters, kOut, kRegisterZero, kB, 0,
                        field(75, 2) | field(84, 2) | field(78, 3) | bit(72), 0);
  const Row got = run_one(f2i, s);
  for (size_t i = 0; i < kLanes; ++i) {
    const float x = f(s[1][i]);
    const int32_t want = std::isinf(x) ? (x > 0 ? INT32_MAX : INT32_MIN) : static_cast<int32_t>(x);
    EXPECT_EQ(static_cast<int32_t>(got[i]), want) << x;
  }
}

TEST(Floats, ProductsAreScaledByPowersOfTwo) {
  const auto s = floats();
  // .D8, .D4, .D2, none, .M2, .M4, .M8
  constexpr std::pair<int, float> kScales[] = {{1, 0.125f}, {2, 0.25f}, {3, 0.5f}, {4, 1}, {5, 2}, {6, 4}, {7, 8}};
  for (const auto& [scale, factor] : kScales) {
    const Row got = run_one(word(Opcode::kFmul, Form::kRegisters, kOut, kA, kB, kRegisterZero, field(84, scale), 0), s);
    for (size_t i = 0; i < kLanes; ++i) {
      const float want = static_cast<float>(double{f(s[0][i])} * f(s[1][i]) * factor);
      if (!std::isnan(want)) {
        EXPECT_EQ(f(got[i]), want) << scale;
      }
    }
  }
}

TEST(Floats, ExtremesOfDoublesAreChosenByPredicates) {
  const double values[] = {0.0, -0.0, 1.5, -2.0, NAN, INFINITY};
  std::array<Row, 4> s{};
  for (size_t i = 0; i < kLanes; ++i) {
    const auto a = std::bit_cast<uint64_t>(values[i % 6]), b = std::bit_cast<uint64_t>(values[i / 6 % 6]);
    s[0][i] = static_cast<uint32_t>(a), s[1][i] = static_cast<uint32_t>(a >> 32);
    s[2][i] = static_cast<uint32_t>(b), s[3][i] = static_cast<uint32_t>(b >> 32);
  }
  for (const bool greatest : {false, true}) {
    const Word dsetp{0x0000000a0800722a, 0x0000000003900000 | (greatest ? 0xf000u : 0)};  // DSETP P0, P1, R8, R10
    const Word show = word(Opcode::kP2r, Form::kImmediateB, kOut, kRegisterZero, 3, kRegisterZero, 0, 0);
    const Row got = run({dsetp, show}, s).out[0];
    for (size_t i = 0; i < kLanes; ++i) {
      const double a = values[i % 6], b = values[i / 6 % 6];
      EXPECT_EQ(got[i] >> 1 & 1, std::isnan(a) && std::isnan(b)) << a << " " << b;
      if (std::isnan(a) && std::isnan(b)) continue;
      const double want = greatest ? std::fmax(a, b) : std::fmin(a, b), chosen = got[i] & 1 ? a : b;
      EXPECT_EQ(chosen, want) << a << " " << b;
      if (a == 0 && b == 0) {
        EXPECT_EQ(std::signbit(chosen),
                  greatest ? std::signbit(a) && std::signbit(b) : std::signbit(a) || std::signbit(b));
      }
    }
  }
}

TEST(Floats, ComparesKnowNaN) {
  auto s = floats();
  s[0][3] = s[1][5] = 0x7fc00000;
  const uint64_t to_p0 = (field(81, 0x3ff) & ~bit(90)) & ~field(81, 7);
  const Word show = word(Opcode::kP2r, Form::kImmediateB, kOut, kRegisterZero, 1, kRegisterZero, 0, 0);
  for (const bool unordered : {false, true}) {  // .LT and .LTU
    const Word fsetp = word(Opcode::kFsetp, Form::kRegisters, 0, kA, kB, 0, field(76, unordered ? 9 : 1), to_p0);
    const Row got = run({fsetp, show}, s).out[0];
    for (size_t i = 0; i < kLanes; ++i) {
      const float a = f(s[0][i]), b = f(s[1][i]);
      EXPECT_EQ(got[i], (a < b || (unordered && (a != a || b != b))) ? 1u : 0u) << a << " " << b;
    }
  }
}

TEST(Halves, PairsAreRoundedOnce) {
  std::array<Row, 4> s = numbers(3);
  for (Row& row : s) {
    for (uint32_t& value : row) value = (value & 0x83ff83ff) | 0x38003800;  // halves from 0.5 to 1, of both signs
  }
  const auto half = [](uint32_t bits) {
    const float size = std::ldexp(static_cast<float>((bits & 0x3ff) | 0x400), static_cast<int>(bits >> 10 & 31) - 25);
    return bits & 0x8000 ? -size : size;
  };
  const Row got = run_one(word(Opcode::kHfma2, Form::kRegisters, kOut, kA, kB, kC, 0, 0), s);
  for (size_t i = 0; i < kLanes; ++i) {
    for (int part : {0, 16}) {
      const float a = half(s[0][i] >> part & 0xffff), b = half(s[1][i] >> part & 0xffff),
                  c = half(s[2][i] >> part & 0xffff);
      const auto want = static_cast<_Float16>(static_cast<double>(a) * b + c);  // exact in double
      EXPECT_EQ(got[i] >> part & 0xffff, std::bit_cast<uint16_t>(want)) << a << " " << b << " " << c;
    }
  }
}

TEST(Floats, TheLeastAndMostOfThree) {
  auto s = floats();
  constexpr uint32_t kNan = 0x7fffffff;
  s[1][3] = s[2][4] = kNan;
  const uint64_t low = 0x0000000000007276 | uint64_t{kOut} << 16 | uint64_t{kA} << 24 | uint64_t{kB} << 32;
  const auto of_three = [&](uint64_t high) { return run_one({low, high | kC}, s); };
  const Row least = of_three(0x03800000), most = of_three(0x07800000), strict = of_three(0x07820000);  // .NAN
  for (size_t i = 0; i < kLanes; ++i) {
    const float a = f(s[0][i]), b = f(s[1][i]), c = f(s[2][i]);
    EXPECT_EQ(f(least[i]), std::fmin(std::fmin(a, b), c)) << i;
    EXPECT_EQ(f(most[i]), std::fmax(std::fmax(a, b), c)) << i;
    EXPECT_EQ(strict[i], i == 3 || i == 4 ? kNan : most[i]) << i;
  }
}

}  // namespace
}  // namespace warplens::simt::sass_machine::testing
