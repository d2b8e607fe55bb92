#include "warplens/libraries/math/product.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace warplens::libraries {
namespace {

/// Small whole numbers, so that every type holds them and every sum is exact.
std::vector<double> pattern(int64_t count, int seed) {
  std::vector<double> out(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) out[static_cast<size_t>(i)] = static_cast<double>((i * 7 + seed * 5) % 5) - 2;
  return out;
}

std::vector<char> stored(const std::vector<double>& values, Number number) {
  std::vector<char> out(values.size() * static_cast<size_t>(size_bytes(number)));
  store(values.data(), static_cast<int64_t>(values.size()), number, out.data(), 1);
  return out;
}
std::vector<double> loaded(const std::vector<char>& bytes, Number number) {
  std::vector<double> out(bytes.size() / static_cast<size_t>(size_bytes(number)));
  load(number, bytes.data(), 1, static_cast<int64_t>(out.size()), out.data());
  return out;
}

constexpr int64_t kM = 5, kN = 4, kK = 3;

struct Case {
  Number in, out;
  int op_a, op_b;
};
class Products : public testing::TestWithParam<Case> {};

TEST_P(Products, AreSumsOfProducts) {
  const Case& c = GetParam();
  const std::vector<double> a = pattern(kM * kK, 1), b = pattern(kK * kN, 2), old = pattern(kM * kN, 3);
  std::vector<char> a_bytes = stored(a, c.in), b_bytes = stored(b, c.in), d_bytes = stored(old, c.out);
  Product p{.m = kM, .n = kN, .k = kK, .alpha = 2, .beta = 3};
  p.a = column_major(a_bytes.data(), c.in, c.op_a == 0 ? kM : kK, c.op_a);
  p.b = column_major(b_bytes.data(), c.in, c.op_b == 0 ? kK : kN, c.op_b);
  p.c = p.d = column_major(d_bytes.data(), c.out, kM);
  const Status ran = run(p);
  ASSERT_TRUE(ran.ok()) << ran.message();
  const std::vector<double> d = loaded(d_bytes, c.out);
  for (int64_t j = 0; j < kN; ++j) {
    for (int64_t i = 0; i < kM; ++i) {
      double sum = 0;
      for (int64_t l = 0; l < kK; ++l) {
        sum += a[static_cast<size_t>(c.op_a == 0 ? l * kM + i : i * kK + l)] *
               b[static_cast<size_t>(c.op_b == 0 ? j * kK + l : l * kN + j)];
      }
      const auto at = static_cast<size_t>(j * kM + i);
      EXPECT_EQ(d[at], 2 * sum + 3 * old[at]) << i << "," << j;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(OfTypes, Products,
                         testing::Values(Case{Number::kF32, Number::kF32, 0, 0}, Case{Number::kF32, Number::kF32, 1, 1},
                                         Case{Number::kF64, Number::kF64, 0, 1}, Case{Number::kF16, Number::kF16, 1, 0},
                                         Case{Number::kBf16, Number::kBf16, 0, 0},
                                         Case{Number::kBf16, Number::kF32, 1, 1}, Case{Number::kI8, Number::kI32, 1, 0},
                                         Case{Number::kE4m3, Number::kBf16, 1, 0},
                                         Case{Number::kE5m2, Number::kF16, 1, 0},
                                         Case{Number::kC32, Number::kC32, 0, 0},
                                         Case{Number::kC64, Number::kC64, 2, 2}),
                         [](const testing::TestParamInfo<Case>& info) {
                           return std::string(name(info.param.in)) + "_to_" + name(info.param.out) + "_" +
                                  std::to_string(info.param.op_a) + std::to_string(info.param.op_b);
                         });

TEST(Product, ConjugatesOnlyWhereAsked) {
  using C = std::complex<float>;
  const C a(1, 2), b(3, 4);
  C d = 0;
  Product p{.m = 1, .n = 1, .k = 1};
  p.a = column_major(&a, Number::kC32, 1, 2);
  p.b = column_major(&b, Number::kC32, 1, 1);
  p.c = p.d = column_major(&d, Number::kC32, 1);
  ASSERT_TRUE(run(p).ok());
  EXPECT_EQ(d, std::conj(a) * b);
}

TEST(Product, Tf32DropsBitsBelowTheTenth) {
  const float a = 1 + 0x1p-10f + 0x1p-12f, b = 1;
  float d = 0;
  Product p{.m = 1, .n = 1, .k = 1, .tf32 = true};
  p.a = column_major(&a, Number::kF32, 1);
  p.b = column_major(&b, Number::kF32, 1);
  p.c = p.d = column_major(&d, Number::kF32, 1);
  ASSERT_TRUE(run(p).ok());
  EXPECT_EQ(d, 1 + 0x1p-10f);
}

/// Of a 2 by 1 product whose sums are 3 and -1.
struct Finished {
  float a[2] = {3, -1}, one = 1, bias[2] = {0.5, 0.25}, d[2] = {9, 9};
  Product p{.m = 2, .n = 1, .k = 1};
  Finished() {
    p.a = column_major(a, Number::kF32, 2);
    p.b = column_major(&one, Number::kF32, 1);
    p.c = p.d = column_major(d, Number::kF32, 2);
  }
};

TEST(Epilogue, AddsABiasAndKeepsWhatReluPasses) {
  Finished f;
  uint8_t bits = 0;
  f.p.epilogue.bias = f.bias;
  f.p.epilogue.activation = Activation::kRelu;
  f.p.epilogue.aux = &bits;
  ASSERT_TRUE(run(f.p).ok());
  EXPECT_EQ(f.d[0], 3.5f);
  EXPECT_EQ(f.d[1], 0);
  EXPECT_EQ(bits, 1);
}

TEST(Epilogue, GeluBackwardIsTheSlopeOfGelu) {
  constexpr float kStep = 1e-2F;
  const auto gelu = [](float x) {
    Finished f;
    f.a[0] = x;
    f.p.epilogue.activation = Activation::kGelu;
    EXPECT_TRUE(run(f.p).ok());
    return f.d[0];
  };
  Finished f;
  float before[2] = {0.7F, -0.3F}, gradient[2] = {};
  f.p.epilogue.activation = Activation::kGeluBackward;
  f.p.epilogue.aux = before;
  f.p.epilogue.aux_leading = 2;
  f.p.epilogue.sums = Epilogue::Sums::kD;
  f.p.epilogue.gradient = gradient;
  ASSERT_TRUE(run(f.p).ok());
  for (int i = 0; i < 2; ++i) {
    const float slope = (gelu(before[i] + kStep) - gelu(before[i] - kStep)) / (2 * kStep);
    EXPECT_NEAR(f.d[i], f.a[i] * slope, 1e-3);
    EXPECT_EQ(gradient[i], f.d[i]);  // of one column
  }
}

TEST(Epilogue, FactorsScaleRowsAndColumns) {
  Finished f;
  const float rows[2] = {2, 10}, column = 3;
  float largest = 0;
  f.p.epilogue.a = {rows, true};
  f.p.epilogue.b = {&column, true};
  f.p.epilogue.largest = &largest;
  ASSERT_TRUE(run(f.p).ok());
  EXPECT_EQ(f.d[0], 18);
  EXPECT_EQ(f.d[1], -30);
  EXPECT_EQ(largest, 30);
}

TEST(Number, F8SaturatesAndWholeNumbersRoundToEven) {
  const std::vector<float> values = {1000, -1000, 0.3F};
  std::vector<uint8_t> bytes(3);
  store(values.data(), 3, Number::kE4m3, bytes.data(), 1);
  std::vector<float> back(3);
  load(Number::kE4m3, bytes.data(), 1, 3, back.data());
  EXPECT_EQ(back[0], 448);
  EXPECT_EQ(back[1], -448);
  EXPECT_NEAR(back[2], 0.3, 0.02);
  const std::vector<double> wide = {2.5, 300, -300};
  std::vector<int8_t> small(3);
  store(wide.data(), 3, Number::kI8, small.data(), 1);
  EXPECT_EQ(small, (std::vector<int8_t>{2, 127, -128}));
}

}  // namespace
}  // namespace warplens::libraries
