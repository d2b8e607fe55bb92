#include "warplens/libraries/math/structured.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "warplens/libraries/math/product.h"

namespace warplens::libraries {
namespace {

std::vector<char> in_memory(const std::vector<float>& values, Number number) {
  std::vector<char> out(values.size() * static_cast<size_t>(size_bytes(number)));
  store(values.data(), static_cast<int64_t>(values.size()), number, out.data(), 1);
  return out;
}
std::vector<float> as_floats(const std::vector<char>& bytes, Number number) {
  std::vector<float> out(bytes.size() / static_cast<size_t>(size_bytes(number)));
  load(number, bytes.data(), 1, static_cast<int64_t>(out.size()), out.data());
  return out;
}

/// Whole numbers without a pattern, some of them zero.
std::vector<float> numbers(int64_t count) {
  std::vector<float> out;
  for (int64_t i = 0; i < count; ++i) out.push_back(static_cast<float>(i * i * 31 % 17 - 8));
  return out;
}

class Structured : public testing::TestWithParam<Number> {};

constexpr int64_t kLines = 8, kDepth = 32;

TEST_P(Structured, PrunedMatricesComeBackFromCompression) {
  for (const bool turned : {false, true}) {
    StructuredShape shape{GetParam(), kLines, kDepth, kDepth, 1};
    if (turned) shape = {GetParam(), kLines, kDepth, 1, kLines};
    std::vector<char> dense = in_memory(numbers(kLines * kDepth), GetParam());
    EXPECT_FALSE(is_pruned(shape, dense.data()));
    for (const Prune how : {Prune::kStrip, Prune::kTile}) {
      std::vector<char> pruned(dense.size());
      ASSERT_TRUE(prune(shape, how, dense.data(), pruned.data()).ok());
      EXPECT_TRUE(is_pruned(shape, pruned.data()));
      std::vector<char> compressed(static_cast<size_t>(compressed_bytes(shape)));
      EXPECT_EQ(compress(shape, pruned.data(), compressed.data()), 0);
      std::vector<char> back(dense.size(), 'x');
      expand(shape, compressed.data(), back.data());
      EXPECT_EQ(as_floats(back, GetParam()), as_floats(pruned, GetParam()));
    }
  }
}

TEST_P(Structured, ProductsTakeCompressedMatrices) {
  const StructuredShape shape{GetParam(), kLines, kDepth, kDepth, 1};
  std::vector<char> a = in_memory(numbers(kLines * kDepth), GetParam());
  ASSERT_TRUE(prune(shape, Prune::kStrip, a.data(), a.data()).ok());
  std::vector<char> compressed(static_cast<size_t>(compressed_bytes(shape)));
  compress(shape, a.data(), compressed.data());
  constexpr int64_t kColumns = 3;
  std::vector<char> b = in_memory(numbers(kDepth * kColumns), GetParam());
  std::vector<float> want(kLines * kColumns), got(kLines * kColumns, -1);
  Product p{.m = kLines, .n = kColumns, .k = kDepth};
  p.a = {.data = a.data(), .number = GetParam(), .row_step = kDepth, .column_step = 1};
  p.b = {.data = b.data(), .number = GetParam(), .row_step = kColumns, .column_step = 1};
  p.c = p.d = column_major(want.data(), Number::kF32, kLines);
  p.beta = 0;
  const auto done = run(p);
  if (!done.ok()) GTEST_SKIP() << "no CPU library";
  p.a.data = compressed.data();
  p.a.structured = true;
  p.c = p.d = column_major(got.data(), Number::kF32, kLines);
  ASSERT_TRUE(run(p).ok());
  EXPECT_EQ(got, want);
}

INSTANTIATE_TEST_SUITE_P(Types, Structured,
                         testing::Values(Number::kF16, Number::kBf16, Number::kF32, Number::kI8, Number::kE4m3));

TEST(Structured, CompressionTakesNineSixteenthsOfHalves) {
  EXPECT_EQ(compressed_bytes({Number::kF16, 64, 64, 64, 1}), 64 * 64 * 2 * 9 / 16);
  EXPECT_EQ(compressed_bytes({Number::kF32, 64, 64, 64, 1}), 64 * 64 * 4 * 9 / 16);
  EXPECT_EQ(compressed_bytes({Number::kI8, 64, 64, 64, 1}), 64 * 64 * 10 / 16);
}

TEST(Structured, LostElementsAreCounted) {
  std::vector<char> dense = in_memory({1, 2, 3, 4, 0, 0, 5, 0}, Number::kF16);
  const StructuredShape shape{Number::kF16, 1, 8, 8, 1};
  std::vector<char> compressed(static_cast<size_t>(compressed_bytes(shape))), back(dense.size());
  EXPECT_EQ(compress(shape, dense.data(), compressed.data()), 2);
  expand(shape, compressed.data(), back.data());
  EXPECT_EQ(as_floats(back, Number::kF16), (std::vector<float>{1, 2, 0, 0, 0, 0, 5, 0}));
}

TEST(Structured, TilesKeepTheLargestSum) {
  // Each row keeps 5 and one of 1; the columns decide which.
  std::vector<float> tile = {5, 1, 1, 1, 1, 5, 1, 1, 1, 1, 5, 1, 1, 1, 1, 5};
  std::vector<char> dense = in_memory(tile, Number::kF16);
  ASSERT_TRUE(prune({Number::kF16, 4, 4, 4, 1}, Prune::kTile, dense.data(), dense.data()).ok());
  const std::vector<float> kept = as_floats(dense, Number::kF16);
  for (size_t i = 0; i < 4; ++i) {
    float row = 0, column = 0;
    for (size_t j = 0; j < 4; ++j) row += kept[4 * i + j], column += kept[4 * j + i];
    EXPECT_EQ(row, 6);
    EXPECT_EQ(column, 6);
  }
  EXPECT_FALSE(prune({Number::kF16, 3, 4, 4, 1}, Prune::kTile, dense.data(), dense.data()).ok());
}

}  // namespace
}  // namespace warplens::libraries
