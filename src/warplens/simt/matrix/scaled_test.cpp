#include "warplens/simt/matrix/scaled.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

namespace warplens::simt {
namespace {

using ptx::Type;

/// A number as significand (a double below 2 in size) and exponent, as the models take it apart.
struct Parts {
  double significand = 0;
  int exponent = 0;
};

Parts parts(uint32_t bits, const NumberFormat& f) {
  const int field = static_cast<int>(bits >> f.fraction_bits) & ((1 << f.exponent_bits) - 1);
  const uint32_t fraction = bits & ((1u << f.fraction_bits) - 1);
  const double size = (field == 0 ? 0.0 : 1.0) + std::ldexp(fraction, -f.fraction_bits);
  const bool negative = (bits >> (f.fraction_bits + f.exponent_bits) & 1) != 0;
  return {negative ? -size : size, std::max(field, 1) - f.bias};
}

Parts scale_parts(uint8_t bits, Type type) {
  return type == Type::kUe8m0 ? Parts{1, bits - 127} : parts(bits, number_format(Type::kE4m3));
}

/// The sum of terms cut `fraction` bits below the largest exponent, cut to f32.
float sum_of(const std::vector<Parts>& terms, int fraction, int zero) {
  int largest = zero;
  for (const Parts& t : terms) largest = std::max(largest, t.exponent);
  double sum = 0;
  for (const Parts& t : terms) sum += std::trunc(std::ldexp(t.significand, t.exponent - largest + fraction));
  const auto cut = std::bit_cast<double>(std::bit_cast<uint64_t>(sum) & ~uint64_t{0} << 29);
  return static_cast<float>(std::ldexp(cut, largest - fraction));
}

struct Case {
  Type a, b, scale;
  int k, blocks;
};

class Scaled {
 public:
  explicit Scaled(const Case& given) : given_(given), rng_(7) {
    for (uint32_t& x : a_) x = element(given.a);
    for (uint32_t& x : b_) x = element(given.b);
    for (uint32_t& x : c_) x = std::bit_cast<uint32_t>(std::ldexp(static_cast<float>(rng_() % 2001) - 1000, -4));
    for (auto* scales : {&a_scales_, &b_scales_}) {
      for (uint8_t& x : *scales)
        x = static_cast<uint8_t>(given.scale == Type::kUe8m0 ? 117 + rng_() % 20 : rng_() % 0x7f);
    }
  }

  void check() {
    std::vector<uint32_t> got = c_;
    MatrixProduct product{kM, kN, given_.k, given_.a, given_.b, Type::kF32, a_.data(), b_.data(), got.data()};
    multiply_scaled(product, {given_.scale, given_.blocks, a_scales_.data(), b_scales_.data()},
                    dot_model(120, given_.a, false));
    for (int row = 0; row < kM; ++row) {
      for (int column = 0; column < kN; ++column)
        EXPECT_EQ(std::bit_cast<float>(got[static_cast<size_t>(column * kM + row)]), expected(row, column))
            << row << " " << column;
    }
  }

 private:
  static constexpr int kM = 16, kN = 8;
  uint32_t element(Type type) {
    const uint32_t bits = static_cast<uint32_t>(rng_()) & ((1u << ptx::bits(type)) - 1);
    return type == Type::kE4m3 && (bits & 0x7f) == 0x7f   ? 0
           : type == Type::kE5m2 && (bits & 0x7c) == 0x7c ? 0x11
                                                          : bits;
  }

  Parts product(int row, int column, int i) const {
    const Parts a = parts(a_[static_cast<size_t>(i * kM + row)], number_format(given_.a)),
                b = parts(b_[static_cast<size_t>(column * given_.k + i)], number_format(given_.b));
    return {a.significand * b.significand, a.exponent + b.exponent};
  }
  Parts scale(int row, int column, int block) const {
    const Parts a = scale_parts(a_scales_[static_cast<size_t>(row * given_.blocks + block)], given_.scale),
                b = scale_parts(b_scales_[static_cast<size_t>(column * given_.blocks + block)], given_.scale);
    return {a.significand * b.significand, a.exponent + b.exponent};
  }

  float expected(int row, int column) const {
    const bool grouped = given_.k == 64;
    const int zero = grouped ? -139 : -133, each = grouped ? 16 : 1;
    std::vector<Parts> terms = {parts(c_[static_cast<size_t>(column * kM + row)], number_format(Type::kF32))};
    if (terms[0].significand == 0) terms[0].exponent = zero;
    for (int begin = 0; begin < given_.k; begin += each) {
      const Parts factor = scale(row, column, begin * given_.blocks / given_.k);
      double sum = 0;
      bool any = false;
      int exponent = factor.exponent;
      for (int i = begin; i < begin + each; ++i) {
        const Parts p = product(row, column, i);
        any |= p.significand != 0;
        sum += grouped ? std::ldexp(p.significand, p.exponent) : p.significand;
        if (!grouped) exponent += p.exponent;
      }
      terms.push_back({sum * factor.significand, any && factor.significand != 0 ? exponent : zero});
    }
    return sum_of(terms, grouped ? 35 : 25, zero);
  }

  Case given_;
  std::mt19937 rng_;
  std::vector<uint32_t> a_ = std::vector<uint32_t>(kM * 64), b_ = std::vector<uint32_t>(kN * 64),
                        c_ = std::vector<uint32_t>(kM * kN);
  std::vector<uint8_t> a_scales_ = std::vector<uint8_t>(kM * 4), b_scales_ = std::vector<uint8_t>(kN * 4);
};

TEST(MatrixScaled, FollowsTheModels) {
  for (const Case& given :
       {Case{Type::kE4m3, Type::kE4m3, Type::kUe8m0, 32, 1}, Case{Type::kE5m2, Type::kE2m1, Type::kUe8m0, 32, 1},
        Case{Type::kE3m2, Type::kE2m3, Type::kUe8m0, 32, 1}, Case{Type::kE2m1, Type::kE2m1, Type::kUe8m0, 64, 2},
        Case{Type::kE2m1, Type::kE2m1, Type::kUe8m0, 64, 4}, Case{Type::kE2m1, Type::kE2m1, Type::kUe4m3, 64, 4}})
    Scaled(given).check();
}

TEST(MatrixScaled, KeepsTheRangeOfScales) {
  // 1 * 2^-127 * 2^-127 is nothing beside C; 2^127 * 2^127 is infinite; a scale of 255 is no number.
  const std::vector<uint32_t> ones(32 * 16, 0x38), ones_b(32 * 8, 0x38);
  for (const auto& [byte, want] : {std::pair<uint8_t, uint32_t>{0, 0x3f800000}, {254, 0x7f800000}, {255, 0x7fffffff}}) {
    std::vector<uint32_t> c(16 * 8, 0x3f800000);
    const std::vector<uint8_t> scales(16, byte);
    multiply_scaled({16, 8, 32, Type::kE4m3, Type::kE4m3, Type::kF32, ones.data(), ones_b.data(), c.data()},
                    {Type::kUe8m0, 1, scales.data(), scales.data()}, dot_model(100, Type::kE4m3, true));
    EXPECT_EQ(c[5], want);
  }
}

}  // namespace
}  // namespace warplens::simt
