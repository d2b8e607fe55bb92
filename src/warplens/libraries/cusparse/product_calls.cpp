// cuSPARSE: products of a sparse matrix with a vector or a dense matrix, and products taken at a sparse matrix's
// places.
#include <algorithm>

#include "warplens/libraries/cusparse/products.h"

using namespace warplens;
using namespace warplens::libraries;

namespace warplens::libraries {

int queue_product(const SparseHandle* h, const char* what, SparseProduct p, const Scalar& alpha, const Scalar& beta) {
  const int64_t rows = rows_of(p.a, p.op), depth = columns_of(p.a, p.op);
  SparseCall call{.name = sizes(what, p.a, p.op, p.columns)};
  if (p.batches > 1) call.name += fmt::format(" batch {}", p.batches);
  call.flops = 2.0 * static_cast<double>(p.a.value_count() * p.columns * p.batches);
  touch(call.touches, p.a, false);
  touch(call.touches, p.b, depth, p.columns, p.batches, false);
  if (beta.on_device || beta.value != 0.0) touch(call.touches, p.c, rows, p.columns, p.batches, false);
  touch(call.touches, p.c, rows, p.columns, p.batches, true);
  call.run = [=]() mutable {
    p.alpha = alpha.now();
    p.beta = beta.now();
    return run(p);
  };
  return queue_sparse(h, std::move(call));
}

}  // namespace warplens::libraries

namespace {

int spmm(const SparseHandle* h, int op_a, int op_b, const void* alpha, const SparseDescriptor* a,
         const DenseDescriptor* b, const void* beta, const DenseDescriptor* c, int compute) {
  if (h == nullptr) return kSparseNotInitialized;
  if (a == nullptr || b == nullptr || c == nullptr || alpha == nullptr || beta == nullptr) return kSparseInvalidValue;
  const bool fits = is_operation(op_a) && is_operation(op_b) && rows_of(*a, op_a) == c->rows &&
                    columns_of(*a, op_a) == b->seen_rows(op_b) && b->seen_columns(op_b) == c->columns;
  if (!fits) return kSparseInvalidValue;
  return queue_product(h, "spmm",
                       {.a = *a,
                        .op = op_a,
                        .b = b->seen(op_b),
                        .c = c->seen(),
                        .columns = c->columns,
                        .batches = std::max<int64_t>({a->batches, b->batches, c->batches})},
                       h->scalar(alpha, compute), h->scalar(beta, compute));
}

int spmv(const SparseHandle* h, int op, const void* alpha, const SparseDescriptor* a, const VectorDescriptor* x,
         const void* beta, const VectorDescriptor* y, int compute) {
  if (h == nullptr) return kSparseNotInitialized;
  if (a == nullptr || x == nullptr || y == nullptr || alpha == nullptr || beta == nullptr) return kSparseInvalidValue;
  if (!is_operation(op) || rows_of(*a, op) != y->size || columns_of(*a, op) != x->size) return kSparseInvalidValue;
  return queue_product(h, "spmv", {.a = *a, .op = op, .b = x->seen(), .c = y->seen()}, h->scalar(alpha, compute),
                       h->scalar(beta, compute));
}

int sddmm(const SparseHandle* h, int op_a, int op_b, const void* alpha, const DenseDescriptor* a,
          const DenseDescriptor* b, const void* beta, const SparseDescriptor* c, int compute) {
  if (h == nullptr) return kSparseNotInitialized;
  if (a == nullptr || b == nullptr || c == nullptr || alpha == nullptr || beta == nullptr) return kSparseInvalidValue;
  const int64_t depth = a->seen_columns(op_a), rows = rows_of(*c, 0), columns = columns_of(*c, 0);
  const bool fits = is_operation(op_a) && is_operation(op_b) && a->seen_rows(op_a) == rows &&
                    b->seen_columns(op_b) == columns && b->seen_rows(op_b) == depth;
  if (!fits) return kSparseInvalidValue;
  SampledProduct p{.a = a->seen(op_a), .b = b->seen(op_b), .c = *c, .depth = depth};
  p.batches = std::max<int64_t>({a->batches, b->batches, c->batches});
  const Scalar by = h->scalar(alpha, compute), old = h->scalar(beta, compute);
  SparseCall call{.name = sizes("sddmm", *c, 0, depth),
                  .flops = 2.0 * static_cast<double>(c->value_count() * depth * p.batches)};
  touch(call.touches, p.a, rows, depth, p.batches, false);
  touch(call.touches, p.b, depth, columns, p.batches, false);
  touch(call.touches, *c, true);
  call.run = [=]() mutable {
    p.alpha = by.now();
    p.beta = old.now();
    return run(p);
  };
  return queue_sparse(h, std::move(call));
}

}  // namespace

CUDA_API int cusparseSpMM_bufferSize(const SparseHandle* h, int, int, const void*, const void*, const void*,
                                     const void*, const void*, int, int, size_t* bytes) {
  return Sparse::answer_workspace(h, bytes);
}
CUDA_API int cusparseSpMM_preprocess(const SparseHandle* h, int, int, const void*, const void*, const void*,
                                     const void*, const void*, int, int, void*) {
  return h == nullptr ? kSparseNotInitialized : kSparseSuccess;
}
CUDA_API int cusparseSpMM(const SparseHandle* h, int op_a, int op_b, const void* alpha, const SparseDescriptor* a,
                          const DenseDescriptor* b, const void* beta, const DenseDescriptor* c, int compute, int,
                          void*) {
  return spmm(h, op_a, op_b, alpha, a, b, beta, c, compute);
}

CUDA_API int cusparseSpMV_bufferSize(const SparseHandle* h, int, const void*, const void*, const void*, const void*,
                                     const void*, int, int, size_t* bytes) {
  return Sparse::answer_workspace(h, bytes);
}
CUDA_API int cusparseSpMV_preprocess(const SparseHandle* h, int, const void*, const void*, const void*, const void*,
                                     const void*, int, int, void*) {
  return h == nullptr ? kSparseNotInitialized : kSparseSuccess;
}
CUDA_API int cusparseSpMV(const SparseHandle* h, int op, const void* alpha, const SparseDescriptor* a,
                          const VectorDescriptor* x, const void* beta, const VectorDescriptor* y, int compute, int,
                          void*) {
  return spmv(h, op, alpha, a, x, beta, y, compute);
}

CUDA_API int cusparseSDDMM_bufferSize(const SparseHandle* h, int, int, const void*, const void*, const void*,
                                      const void*, const void*, int, int, size_t* bytes) {
  return Sparse::answer_workspace(h, bytes);
}
CUDA_API int cusparseSDDMM_preprocess(const SparseHandle* h, int, int, const void*, const void*, const void*,
                                      const void*, const void*, int, int, void*) {
  return h == nullptr ? kSparseNotInitialized : kSparseSuccess;
}
CUDA_API int cusparseSDDMM(const SparseHandle* h, int op_a, int op_b, const void* alpha, const DenseDescriptor* a,
                           const DenseDescriptor* b, const void* beta, const SparseDescriptor* c, int compute, int,
                           void*) {
  return sddmm(h, op_a, op_b, alpha, a, b, beta, c, compute);
}
