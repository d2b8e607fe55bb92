#include "warplens/libraries/math/array.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace warplens::libraries {
namespace {

Array counting(Sizes size) {
  Array out(std::move(size));
  std::iota(out.values.begin(), out.values.end(), 0.0F);
  return out;
}

TEST(Arrays, OfOneHeadServeAllThatShareIt) {
  const Array scores = counting({1, 4, 1, 2}), heads = [] {
    Array out({1, 2, 1, 1});
    out.values = {100, 200};
    return out;
  }();
  const Array sum = pointwise(scores.size, {&scores, &heads}, [](const float* const* in, int64_t n, float* out) {
    for (int64_t i = 0; i < n; ++i) out[i] = in[0][i] + in[1][i];
  });
  EXPECT_EQ(sum.values, (std::vector<float>{100, 101, 102, 103, 204, 205, 206, 207}));
  EXPECT_EQ(reduce(scores, {1, 2, 1, 1}, Reducing::kAdd).values, (std::vector<float>{6, 22}));
}

TEST(Arrays, AreReducedInEveryWay) {
  Array x({1, 4});
  x.values = {-3, 0, 2, 1};
  const auto of = [&](Reducing how) { return reduce(x, {1, 1}, how).values[0]; };
  EXPECT_EQ(of(Reducing::kAdd), 0);
  EXPECT_EQ(of(Reducing::kMul), 0);
  EXPECT_EQ(of(Reducing::kMulNoZeros), -6);
  EXPECT_EQ(of(Reducing::kMin), -3);
  EXPECT_EQ(of(Reducing::kMax), 2);
  EXPECT_EQ(of(Reducing::kAmax), 3);
  EXPECT_EQ(of(Reducing::kNorm1), 6);
  EXPECT_FLOAT_EQ(of(Reducing::kNorm2), std::sqrt(14.0F));
}

TEST(Arrays, MultiplyAsMatricesOfEachBatch) {
  Array a = counting({2, 2, 2, 3}), b = counting({2, 1, 3, 2});
  const auto product = multiply(a, b, {2, 2, 2, 2});
  ASSERT_TRUE(product.ok());
  for (int64_t batch = 0; batch < 4; ++batch)
    for (int64_t i = 0; i < 2; ++i)
      for (int64_t j = 0; j < 2; ++j) {
        float want = 0;
        for (int64_t k = 0; k < 3; ++k)
          want += a.values[static_cast<size_t>(batch * 6 + i * 3 + k)] *
                  b.values[static_cast<size_t>(batch / 2 * 6 + k * 2 + j)];
        EXPECT_EQ(product->values[static_cast<size_t>(batch * 4 + i * 2 + j)], want);
      }
  EXPECT_FALSE(multiply(a, a, {2, 2, 2, 2}).ok());
}

TEST(Arrays, LieInMemoryWithStepsOfTheirOwn) {
  std::vector<float> memory(12, -1);
  const Strided turned{.data = memory.data(), .number = Number::kF32, .size = {2, 3}, .step = {1, 4}};
  store_array(counting({2, 3}), turned);
  EXPECT_EQ(memory, (std::vector<float>{0, 3, -1, -1, 1, 4, -1, -1, 2, 5, -1, -1}));
  EXPECT_EQ(load_array(turned).values, counting({2, 3}).values);
  EXPECT_EQ(permute(counting({2, 3}), {1, 0}).values, (std::vector<float>{0, 3, 1, 4, 2, 5}));
}

TEST(Arrays, OfNothingButMinusInfinityHaveNoWeights) {
  Array x({2, 3}), sink({1, 1}, 0);
  x.values = {-INFINITY, -INFINITY, -INFINITY, 0, 0, -INFINITY};
  const Softmax plain = softmax(x, nullptr);
  EXPECT_EQ(plain.weights.values, (std::vector<float>{0, 0, 0, 0.5, 0.5, 0}));
  EXPECT_EQ(plain.sums.values, (std::vector<float>{0, 2}));
  EXPECT_FLOAT_EQ(softmax(x, &sink).weights.values[3], 1.0F / 3);
}

}  // namespace
}  // namespace warplens::libraries
