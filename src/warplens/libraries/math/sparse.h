// Sparse matrices as cuSPARSE stores them, and their products, sums and solutions, computed by the CPU in double
// precision.
#pragma once
#include <vector>

#include "warplens/libraries/math/product.h"

namespace warplens::libraries {

/// Indices of 2 (unsigned), 4 or 8 bytes that count from `base`.
struct Indices {
  void* data = nullptr;
  int bytes = 4;
  int64_t base = 0;

  int64_t at(int64_t i) const;
  void set(int64_t i, int64_t value) const;
};

enum class SparseLayout : uint8_t { kCsr, kCsc, kCoo };

/// Blocks of `block_rows` by `block_columns` elements; other matrices have blocks of one element.
struct SparseMatrix {
  SparseLayout layout = SparseLayout::kCsr;
  int64_t rows = 0, columns = 0;  // of blocks
  int64_t stored = 0;             // blocks
  Indices outer;                  // CSR: offsets of rows; CSC: of columns; COO: the row of each
  Indices inner;                  // the column of each; CSC: its row
  void* values = nullptr;
  Number number = Number::kF32;
  int64_t block_rows = 1, block_columns = 1;
  bool blocks_by_column = false;
  int64_t batches = 1, outer_step = 0, inner_step = 0, value_step = 0;  // in elements

  int64_t outer_count() const;  // elements of `outer`
  int64_t block_size() const { return block_rows * block_columns; }
  int64_t value_count() const { return stored * block_size(); }
};

/// D = alpha op(A) op(B) + beta C, where A is sparse; `b` and `c` are seen as the product sees them.
struct SparseProduct {
  SparseMatrix a;
  int op = 0;  // as cusparseOperation_t
  Matrix b, c;
  int64_t columns = 1, batches = 1;  // columns of C
  std::complex<double> alpha = 1, beta = 0;
};
Status run(const SparseProduct& product);

/// C = (alpha A B) at the places of C + beta C, where C is sparse and `depth` the inner dimension.
struct SampledProduct {
  Matrix a, b;
  SparseMatrix c;
  int64_t depth = 0, batches = 1;
  std::complex<double> alpha = 1, beta = 0;
};
Status run(const SampledProduct& product);

/// op(A) X = alpha B with the upper or lower triangle of A. `x` may be `b`.
struct SparseSolve {
  SparseMatrix a;
  int op = 0;
  bool upper = false, unit_diagonal = false;
  Matrix b, x;
  int64_t columns = 1;
  std::complex<double> alpha = 1;
};
/// `zero_pivot`, where given: the first row (from 0) without a diagonal element or with one of zero; else -1.
Status run(const SparseSolve& solve, int64_t* zero_pivot = nullptr);

/// A result whose size is known only afterwards: compressed rows from base 0, columns in order.
struct CompressedRows {
  std::vector<int64_t> offsets, columns;
  std::vector<char> values;  // of the matrices' number

  int64_t stored() const { return static_cast<int64_t>(columns.size()); }
  /// Into memory that has room for it, in the layout of `to` (CSR or COO).
  void store_to(const SparseMatrix& to) const;
};
Result<CompressedRows> multiply(const SparseMatrix& a, int op_a, const SparseMatrix& b, int op_b,
                                std::complex<double> alpha);
/// alpha A + beta B.
Result<CompressedRows> add(const SparseMatrix& a, const SparseMatrix& b, std::complex<double> alpha,
                           std::complex<double> beta);

/// Adds `A` into dense memory of zeros; or takes what is not zero out of dense memory, by rows.
Status to_dense(const SparseMatrix& a, const Matrix& dense);
Result<CompressedRows> from_dense(const Matrix& dense, int64_t rows, int64_t columns);

}  // namespace warplens::libraries
