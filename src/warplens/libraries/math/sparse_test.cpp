#include "warplens/libraries/math/sparse.h"

#include <gtest/gtest.h>

#include <cmath>

namespace warplens::libraries {
namespace {

/// [[2, 0, 1], [0, 0, 0], [0, 3, 4]] in each layout, counted from `base`.
struct SparseSample {
  std::vector<int> outer, inner;
  std::vector<float> values;
  SparseMatrix matrix;

  SparseSample(SparseLayout layout, int base) {
    switch (layout) {
      case SparseLayout::kCsr: outer = {0, 2, 2, 4}, inner = {0, 2, 1, 2}, values = {2, 1, 3, 4}; break;
      case SparseLayout::kCsc: outer = {0, 1, 2, 4}, inner = {0, 2, 0, 2}, values = {2, 3, 1, 4}; break;
      case SparseLayout::kCoo: outer = {2, 0, 2, 0}, inner = {2, 2, 1, 0}, values = {4, 1, 3, 2}; break;
    }
    for (int& i : outer) i += base;
    for (int& i : inner) i += base;
    matrix = {.layout = layout, .rows = 3, .columns = 3, .stored = 4};
    matrix.outer = {outer.data(), sizeof(int), base};
    matrix.inner = {inner.data(), sizeof(int), base};
    matrix.values = values.data();
  }
};
constexpr float kDense[3][3] = {{2, 0, 1}, {0, 0, 0}, {0, 3, 4}};

class Sparse : public testing::TestWithParam<std::tuple<SparseLayout, int, int>> {};

TEST_P(Sparse, TimesDense) {
  const auto [layout, base, op] = GetParam();
  SparseSample sample(layout, base);
  const float b[3][2] = {{1, 2}, {3, 5}, {7, 11}};
  float c[3][2] = {{1, 1}, {1, 1}, {1, 1}};
  const auto by_rows = [](const void* data) { return column_major(data, Number::kF32, 2, 1); };
  ASSERT_TRUE(
      run(SparseProduct{
              .a = sample.matrix, .op = op, .b = by_rows(b), .c = by_rows(c), .columns = 2, .alpha = 2, .beta = 3})
          .ok());
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 2; ++j) {
      float sum = 0;
      for (int k = 0; k < 3; ++k) sum += (op == 0 ? kDense[i][k] : kDense[k][i]) * b[k][j];
      EXPECT_EQ(c[i][j], 2 * sum + 3) << i << "," << j;
    }
  }
}

TEST_P(Sparse, TimesItself) {
  const auto [layout, base, op] = GetParam();
  SparseSample sample(layout, base);
  const auto result = multiply(sample.matrix, op, sample.matrix, 0, 1);
  ASSERT_TRUE(result.ok());
  float got[3][3] = {};
  const auto* values = reinterpret_cast<const float*>(result->values.data());
  for (size_t row = 0; row < 3; ++row)
    for (int64_t i = result->offsets[row]; i < result->offsets[row + 1]; ++i)
      got[row][result->columns[static_cast<size_t>(i)]] = values[i];
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      float sum = 0;
      for (int k = 0; k < 3; ++k) sum += (op == 0 ? kDense[i][k] : kDense[k][i]) * kDense[k][j];
      EXPECT_EQ(got[i][j], sum) << i << "," << j;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Layouts, Sparse,
                         testing::Combine(testing::Values(SparseLayout::kCsr, SparseLayout::kCsc, SparseLayout::kCoo),
                                          testing::Values(0, 1), testing::Values(0, 1)));

TEST(Sparse, AnIndexOutsideIsAnError) {
  SparseSample sample(SparseLayout::kCsr, 0);
  sample.inner[1] = 3;
  float dense[9];
  const Status ran = to_dense(sample.matrix, column_major(dense, Number::kF32, 3));
  ASSERT_FALSE(ran.ok());
  EXPECT_EQ(ran.message(), "a sparse matrix has the column 3, but it ends at 3");
}

TEST(Sparse, SampledProductsKeepTheirPlaces) {
  SparseSample sample(SparseLayout::kCoo, 0);
  const float a[3] = {1, 2, 3}, b[3] = {5, 7, 11};
  ASSERT_TRUE(run(SampledProduct{.a = column_major(a, Number::kF32, 3),
                                 .b = column_major(b, Number::kF32, 1),
                                 .c = sample.matrix,
                                 .depth = 1,
                                 .alpha = 1,
                                 .beta = 10})
                  .ok());
  EXPECT_EQ(sample.values, (std::vector<float>{33 + 40, 11 + 10, 21 + 30, 5 + 20}));
}

/// Blocks of 2 by 2, the second with its elements by columns.
TEST(Sparse, BlocksAndTriangles) {
  std::vector<int> outer{0, 1, 3}, inner{0, 0, 1};
  std::vector<double> values{2, 0, 1, 4, /**/ 1, 2, 3, 4, /**/ 5, 0, 6, 8};
  SparseMatrix blocks{.rows = 2, .columns = 2, .stored = 3, .block_rows = 2, .block_columns = 2};
  blocks.outer.data = outer.data();
  blocks.inner.data = inner.data();
  blocks.values = values.data();
  blocks.number = Number::kF64;
  for (const bool by_column : {false, true}) {
    blocks.blocks_by_column = by_column;
    double full[16];
    ASSERT_TRUE(to_dense(blocks, column_major(full, Number::kF64, 4, 1)).ok());
    EXPECT_EQ(full[4], by_column ? 0 : 1);
    for (const int op : {0, 1}) {
      const double b[4] = {2, 3, 5, 7};
      double x[4];
      int64_t pivot = 0;
      ASSERT_TRUE(
          run(
              SparseSolve{
                  .a = blocks, .op = op, .b = column_major(b, Number::kF64, 4), .x = column_major(x, Number::kF64, 4)},
              &pivot)
              .ok());
      EXPECT_EQ(pivot, -1);
      for (int i = 0; i < 4; ++i) {  // op() of the lower triangle times x
        double sum = 0;
        for (int k = 0; k < 4; ++k) {
          const int row = op == 0 ? i : k, column = op == 0 ? k : i;
          if (row >= column) sum += full[row * 4 + column] * x[k];
        }
        EXPECT_NEAR(sum, b[i], 1e-12) << by_column << op << i;
      }
    }
  }
  values[3] = 0;
  const double b[4] = {};
  double x[4];
  int64_t pivot = 0;
  ASSERT_TRUE(
      run(SparseSolve{.a = blocks, .b = column_major(b, Number::kF64, 4), .x = column_major(x, Number::kF64, 4)},
          &pivot)
          .ok());
  EXPECT_EQ(pivot, 1);
}

}  // namespace
}  // namespace warplens::libraries
