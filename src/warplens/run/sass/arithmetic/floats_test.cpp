// Floating-point instructions of all widths, and conversions, against plain C++.
#include <bit>
#include <cmath>

#include "warplens/base/half.h"
#include "warplens/run/sass/one_instruction.h"
#include "warplens/simt/conversion.h"

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
      const uint16_t want = half_bits(static_cast<double>(a) * b + c);  // exact in double
      EXPECT_EQ(got[i] >> part & 0xffff, want) << a << " " << b << " " << c;
    }
  }
}

/// Numbers about those that E4M3 has: between two of them, just beside, too large, too small, none.
std::array<Row, 4> about_e4m3(uint32_t first) {
  std::array<Row, 4> out;
  for (uint32_t k = 0; k < 4; ++k) {
    for (uint32_t i = 0; i < kLanes; ++i) {
      const double number = decode_float((first + 4 * i + k) & 0xff, ptx::Type::kE4m3);
      const uint32_t bits = std::bit_cast<uint32_t>(static_cast<float>(number * (i % 2 ? 1.0625 : 1.03125)));
      out[k][i] = bits + i % 3 - 1;
    }
  }
  out[0][3] = 0x7fc00000, out[1][4] = 0xff800000, out[0][5] = 0x7f7fffff, out[1][6] = 0x00000001,
  out[1][7] = 0x80000000;
  return out;
}

TEST(Floats, NumbersOfEightBitsAreThoseOfTheSlowWay) {
  const Word narrow = word(Opcode::kF2fp, Form::kRegisters, kOut, kA, kB, kC, uint64_t{0x48070} << 8, 0),
             widen = word(Opcode::kF2fp, Form::kRegisters, kOut, kRegisterZero, kB, kRegisterZero,
                          uint64_t{0x20006} << 8, 0);
  for (uint32_t first = 0; first < 256; first += 128) {
    const std::array<Row, 4> s = about_e4m3(first);
    const Row got = run_one(narrow, s);
    const Conversion to{.to = ptx::Type::kE4m3x2, .from = ptx::Type::kF32, .flags = kSatFinite};
    for (size_t i = 0; i < kLanes; ++i)
      EXPECT_EQ(got[i], (convert(s[0][i], s[1][i], to) & 0xffff) | s[2][i] << 16) << f(s[0][i]) << " " << f(s[1][i]);
  }
  const Conversion from{.to = ptx::Type::kF16x2, .from = ptx::Type::kE4m3x2};
  for (uint32_t first = 0; first < 256; first += kLanes) {
    std::array<Row, 4> s{};
    for (uint32_t i = 0; i < kLanes; ++i) s[1][i] = (first + i) | (255 - first - i) << 8 | 0x5a5a0000;
    const Row got = run_one(widen, s);
    for (size_t i = 0; i < kLanes; ++i) EXPECT_EQ(got[i], convert(s[1][i] & 0xffff, 0, from)) << s[1][i];
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
