// cuSPARSE: solutions with a sparse triangle.
#include "warplens/libraries/cusparse/products.h"

using namespace warplens;
using namespace warplens::libraries;

namespace {

/// cusparseSpSVDescr_t and cusparseSpSMDescr_t keep nothing here: a solution looks at the matrix itself.
struct Analysis {};

int solve(const SparseHandle* h, const Analysis* analysis, const SparseDescriptor* a, int op, const Matrix& b,
          const Matrix& x, int64_t rows, int64_t columns, const void* alpha, int compute) {
  if (h == nullptr) return kSparseNotInitialized;
  if (analysis == nullptr || alpha == nullptr || !is_operation(op)) return kSparseInvalidValue;
  if (rows_of(*a, 0) != columns_of(*a, 0) || rows_of(*a, 0) != rows) return kSparseInvalidValue;
  SparseSolve s{
      .a = *a, .op = op, .upper = a->fill == 1, .unit_diagonal = a->diagonal == 1, .b = b, .x = x, .columns = columns};
  const Scalar by = h->scalar(alpha, compute);
  SparseCall call{.name = sizes("trsm", *a, op, columns),
                  .flops = 2.0 * static_cast<double>(a->value_count() * columns)};
  touch(call.touches, *a, false);
  touch(call.touches, b, rows, columns, 1, false);
  touch(call.touches, x, rows, columns, 1, true);
  call.run = [=]() mutable {
    s.alpha = by.now();
    return run(s);
  };
  return queue_sparse(h, std::move(call));
}

}  // namespace

CUDA_API int cusparseSpSV_createDescr(Analysis** out) { return Sparse::make(out); }
CUDA_API int cusparseSpSV_destroyDescr(Analysis* analysis) { return Sparse::destroy(analysis); }
CUDA_API int cusparseSpSV_bufferSize(const SparseHandle* h, int, const void*, const void*, const void*, const void*,
                                     int, int, Analysis*, size_t* bytes) {
  return Sparse::answer_workspace(h, bytes);
}
CUDA_API int cusparseSpSV_analysis(const SparseHandle* h, int, const void*, const void*, const void*, const void*, int,
                                   int, Analysis*, void*) {
  return h == nullptr ? kSparseNotInitialized : kSparseSuccess;
}
CUDA_API int cusparseSpSV_solve(const SparseHandle* h, int op, const void* alpha, const SparseDescriptor* a,
                                const VectorDescriptor* x, const VectorDescriptor* y, int compute, int,
                                Analysis* analysis) {
  if (a == nullptr || x == nullptr || y == nullptr) return kSparseInvalidValue;
  return solve(h, analysis, a, op, x->seen(), y->seen(), y->size, 1, alpha, compute);
}

CUDA_API int cusparseSpSM_createDescr(Analysis** out) { return Sparse::make(out); }
CUDA_API int cusparseSpSM_destroyDescr(Analysis* analysis) { return Sparse::destroy(analysis); }
CUDA_API int cusparseSpSM_bufferSize(const SparseHandle* h, int, int, const void*, const void*, const void*,
                                     const void*, int, int, Analysis*, size_t* bytes) {
  return Sparse::answer_workspace(h, bytes);
}
CUDA_API int cusparseSpSM_analysis(const SparseHandle* h, int, int, const void*, const void*, const void*, const void*,
                                   int, int, Analysis*, void*) {
  return h == nullptr ? kSparseNotInitialized : kSparseSuccess;
}
CUDA_API int cusparseSpSM_solve(const SparseHandle* h, int op_a, int op_b, const void* alpha, const SparseDescriptor* a,
                                const DenseDescriptor* b, const DenseDescriptor* c, int compute, int,
                                Analysis* analysis) {
  if (a == nullptr || b == nullptr || c == nullptr || !is_operation(op_b)) return kSparseInvalidValue;
  if (b->seen_rows(op_b) != c->rows || b->seen_columns(op_b) != c->columns) return kSparseInvalidValue;
  return solve(h, analysis, a, op_a, b->seen(op_b), c->seen(), c->rows, c->columns, alpha, compute);
}
