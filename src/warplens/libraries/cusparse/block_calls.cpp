// cuSPARSE's older functions for matrices of square blocks (BSR).
#include "warplens/libraries/cusparse/products.h"

using namespace warplens;
using namespace warplens::libraries;

namespace {

/// A matrix of square blocks, as the older functions describe it.
template <typename T>
SparseMatrix blocks(const MatrixKind* kind, int by_column, int rows, int columns, int stored, const void* values,
                    const int* offsets, const int* indices, int size) {
  SparseMatrix out = compressed_rows(kind, rows, columns, stored, values, offsets, indices, kNumberOf<T>);
  out.block_rows = out.block_columns = size;
  out.blocks_by_column = by_column == 1;
  return out;
}

struct BlockSolve {
  int64_t zero_pivot = -1;
};

template <typename T>
int solve_blocks(const SparseHandle* h, const MatrixKind* kind, const SparseMatrix& a, int op, int op_x, int columns,
                 const void* alpha, const void* b, int ldb, void* x, int ldx, BlockSolve* state) {
  if (h == nullptr) return kSparseNotInitialized;
  if (kind == nullptr || state == nullptr || alpha == nullptr || !is_operation(op)) return kSparseInvalidValue;
  const int64_t rows = a.rows * a.block_rows;
  SparseSolve s{.a = a,
                .op = op,
                .upper = kind->fill == 1,
                .unit_diagonal = kind->diagonal == 1,
                .b = column_major(b, a.number, ldb, op_x),
                .x = column_major(x, a.number, ldx, op_x == 0 ? 0 : 1),
                .columns = columns};
  const Scalar by = h->scalar(alpha, static_cast<int>(a.number));
  SparseCall call{.name = sizes("trsm", a, op, columns), .flops = 2.0 * static_cast<double>(a.value_count() * columns)};
  touch(call.touches, a, false);
  touch(call.touches, s.b, rows, columns, 1, false);
  touch(call.touches, s.x, rows, columns, 1, true);
  call.run = [=]() mutable {
    s.alpha = by.now();
    return run(s, &state->zero_pivot);
  };
  return queue_sparse(h, std::move(call));
}

int zero_pivot(const SparseHandle* h, const BlockSolve* state, int* position) {
  if (h == nullptr) return kSparseNotInitialized;
  if (state == nullptr || position == nullptr) return kSparseInvalidValue;
  *position = static_cast<int>(state->zero_pivot);
  return state->zero_pivot < 0 ? kSparseSuccess : kSparseZeroPivot;
}

}  // namespace

CUDA_API int cusparseCreateBsrsv2Info(BlockSolve** out) { return Sparse::make(out); }
CUDA_API int cusparseCreateBsrsm2Info(BlockSolve** out) { return Sparse::make(out); }
CUDA_API int cusparseDestroyBsrsv2Info(BlockSolve* state) { return Sparse::destroy(state); }
CUDA_API int cusparseDestroyBsrsm2Info(BlockSolve* state) { return Sparse::destroy(state); }
CUDA_API int cusparseXbsrsv2_zeroPivot(const SparseHandle* h, const BlockSolve* state, int* position) {
  return zero_pivot(h, state, position);
}
CUDA_API int cusparseXbsrsm2_zeroPivot(const SparseHandle* h, const BlockSolve* state, int* position) {
  return zero_pivot(h, state, position);
}

#define BLOCKED(letter, T)                                                                                             \
  CUDA_API int cusparse##letter##bsrmv(const SparseHandle* h, int direction, int op, int rows, int columns,            \
                                       int stored, const void* alpha, const MatrixKind* kind, const void* values,      \
                                       const int* offsets, const int* indices, int size, const void* x,                \
                                       const void* beta, void* y) {                                                    \
    if (h == nullptr) return kSparseNotInitialized;                                                                    \
    const SparseMatrix a = blocks<T>(kind, direction, rows, columns, stored, values, offsets, indices, size);          \
    const int number = static_cast<int>(a.number);                                                                     \
    return queue_product(h, "spmv",                                                                                    \
                         {.a = a,                                                                                      \
                          .op = op,                                                                                    \
                          .b = column_major(x, a.number, columns_of(a, op)),                                           \
                          .c = column_major(y, a.number, rows_of(a, op))},                                             \
                         h->scalar(alpha, number), h->scalar(beta, number));                                           \
  }                                                                                                                    \
  CUDA_API int cusparse##letter##bsrmm(const SparseHandle* h, int direction, int op, int op_b, int rows, int n,        \
                                       int columns, int stored, const void* alpha, const MatrixKind* kind,             \
                                       const void* values, const int* offsets, const int* indices, int size,           \
                                       const void* b, int ldb, const void* beta, void* c, int ldc) {                   \
    if (h == nullptr) return kSparseNotInitialized;                                                                    \
    const SparseMatrix a = blocks<T>(kind, direction, rows, columns, stored, values, offsets, indices, size);          \
    const int number = static_cast<int>(a.number);                                                                     \
    return queue_product(h, "spmm",                                                                                    \
                         {.a = a,                                                                                      \
                          .op = op,                                                                                    \
                          .b = column_major(b, a.number, ldb, op_b),                                                   \
                          .c = column_major(c, a.number, ldc),                                                         \
                          .columns = n},                                                                               \
                         h->scalar(alpha, number), h->scalar(beta, number));                                           \
  }                                                                                                                    \
  CUDA_API int cusparse##letter##bsrsv2_bufferSize(const SparseHandle* h, int, int, int, int, const MatrixKind*,       \
                                                   void*, const int*, const int*, int, BlockSolve*, int* bytes) {      \
    return Sparse::answer_workspace(h, bytes);                                                                         \
  }                                                                                                                    \
  CUDA_API int cusparse##letter##bsrsv2_analysis(const SparseHandle* h, int, int, int, int, const MatrixKind*,         \
                                                 const void*, const int*, const int*, int, BlockSolve*, int, void*) {  \
    return h == nullptr ? kSparseNotInitialized : kSparseSuccess;                                                      \
  }                                                                                                                    \
  CUDA_API int cusparse##letter##bsrsv2_solve(const SparseHandle* h, int direction, int op, int rows, int stored,      \
                                              const void* alpha, const MatrixKind* kind, const void* values,           \
                                              const int* offsets, const int* indices, int size, BlockSolve* state,     \
                                              const void* b, void* x, int, void*) {                                    \
    const SparseMatrix a = blocks<T>(kind, direction, rows, rows, stored, values, offsets, indices, size);             \
    return solve_blocks<T>(h, kind, a, op, 0, 1, alpha, b, rows * size, x, rows * size, state);                        \
  }                                                                                                                    \
  CUDA_API int cusparse##letter##bsrsm2_bufferSize(const SparseHandle* h, int, int, int, int, int, int,                \
                                                   const MatrixKind*, void*, const int*, const int*, int, BlockSolve*, \
                                                   int* bytes) {                                                       \
    return Sparse::answer_workspace(h, bytes);                                                                         \
  }                                                                                                                    \
  CUDA_API int cusparse##letter##bsrsm2_analysis(const SparseHandle* h, int, int, int, int, int, int,                  \
                                                 const MatrixKind*, const void*, const int*, const int*, int,          \
                                                 BlockSolve*, int, void*) {                                            \
    return h == nullptr ? kSparseNotInitialized : kSparseSuccess;                                                      \
  }                                                                                                                    \
  CUDA_API int cusparse##letter##bsrsm2_solve(                                                                         \
      const SparseHandle* h, int direction, int op, int op_x, int rows, int n, int stored, const void* alpha,          \
      const MatrixKind* kind, const void* values, const int* offsets, const int* indices, int size, BlockSolve* state, \
      const void* b, int ldb, void* x, int ldx, int, void*) {                                                          \
    const SparseMatrix a = blocks<T>(kind, direction, rows, rows, stored, values, offsets, indices, size);             \
    return solve_blocks<T>(h, kind, a, op, op_x, n, alpha, b, ldb, x, ldx, state);                                     \
  }
BLOCKED(S, float)
BLOCKED(D, double)
BLOCKED(C, std::complex<float>)
BLOCKED(Z, std::complex<double>)
#undef BLOCKED
