// cuSPARSE: a dense matrix and a sparse vector, rotations of a sparse vector with a dense one, and counts of elements.
#include "warplens/libraries/cusparse/descriptors.h"

using namespace warplens;
using namespace warplens::libraries;

namespace {

using C32 = std::complex<float>;
using C64 = std::complex<double>;

/// y = alpha op(A) x + beta y.
template <typename T>
int gemvi(const SparseHandle* h, int op, int64_t m, int64_t n, const void* alpha, const T* a, int64_t lda,
          int64_t stored, const T* x, const int* indices, const void* beta, T* y, int base) {
  if (h == nullptr) return kSparseNotInitialized;
  if (op < 0 || op > 2 || m < 0 || n < 0 || stored < 0 || lda < m) return kSparseInvalidValue;
  const int64_t rows = op == 0 ? m : n;
  const Scalar by = h->scalar(alpha, static_cast<int>(kNumberOf<T>)),
               kept = h->scalar(beta, static_cast<int>(kNumberOf<T>));
  SparseCall call{.name = fmt::format("gemvi {} {}x{}", name(kNumberOf<T>), m, n),
                  .flops = 2.0 * static_cast<double>(rows * stored)};
  call.touches = {touched(x, stored, sizeof(T), false), touched(indices, stored, sizeof(int), false),
                  touched(y, rows, sizeof(T), true)};
  call.run = [=]() -> Status {
    const Matrix seen = column_major(a, kNumberOf<T>, lda, op);
    for (int64_t i = 0; i < rows; ++i) {
      C64 sum = 0;
      for (int64_t k = 0; k < stored; ++k) {
        const C64 element(a[i * seen.row_step + (indices[k] - base) * seen.column_step]);
        sum += (seen.conjugate ? std::conj(element) : element) * C64(x[k]);
      }
      const C64 before = kept.now() == C64(0) ? C64(0) : kept.now() * C64(y[i]);
      const C64 value = by.now() * sum + before;
      store(&value, 1, kNumberOf<T>, y + i, 1);
    }
    return {};
  };
  return queue_sparse(h, std::move(call));
}

/// Elements of a dense matrix that are not zero, of each row (`by_columns` 0) or column, and in all.
template <typename T>
int count_nonzeros(const SparseHandle* h, int by_columns, int64_t m, int64_t n, const T* a, int64_t lda, int* counts,
                   int* total) {
  if (h == nullptr) return kSparseNotInitialized;
  if ((by_columns != 0 && by_columns != 1) || m < 0 || n < 0 || lda < m || counts == nullptr || total == nullptr)
    return kSparseInvalidValue;
  const int64_t lines = by_columns == 0 ? m : n;
  SparseCall call{.name = fmt::format("nnz {} {}x{}", name(kNumberOf<T>), m, n)};
  call.touches = {touched_matrix(a, sizeof(T), m, n, lda, false), touched(counts, lines, sizeof(int), true)};
  call.run = [=]() -> Status {
    std::fill_n(counts, lines, 0);
    *total = 0;
    for (int64_t j = 0; j < n; ++j) {
      for (int64_t i = 0; i < m; ++i) {
        if (a[j * lda + i] == T(0)) continue;
        ++counts[by_columns == 0 ? i : j];
        ++*total;
      }
    }
    return {};
  };
  return queue_sparse(h, std::move(call));
}

}  // namespace

#define WITH_DENSE(letter, T)                                                                                       \
  CUDA_API int cusparse##letter##gemvi_bufferSize(const SparseHandle* h, int, int, int, int, int* bytes) {          \
    return Sparse::answer_workspace(h, bytes);                                                                      \
  }                                                                                                                 \
  CUDA_API int cusparse##letter##gemvi(const SparseHandle* h, int op, int m, int n, const void* alpha, const T* a,  \
                                       int lda, int stored, const T* x, const int* indices, const void* beta, T* y, \
                                       int base, void*) {                                                           \
    return gemvi<T>(h, op, m, n, alpha, a, lda, stored, x, indices, beta, y, base);                                 \
  }                                                                                                                 \
  CUDA_API int cusparse##letter##nnz(const SparseHandle* h, int by_columns, int m, int n, const MatrixKind*,        \
                                     const T* a, int lda, int* counts, int* total) {                                \
    return count_nonzeros<T>(h, by_columns, m, n, a, lda, counts, total);                                           \
  }
WITH_DENSE(S, float)
WITH_DENSE(D, double)
WITH_DENSE(C, C32)
WITH_DENSE(Z, C64)
#undef WITH_DENSE

/// x = c x + s y and y = c y - s x, at the places of x.
CUDA_API int cusparseRot(const SparseHandle* h, const void* c, const void* s, const SparseVectorDescriptor* x,
                         const VectorDescriptor* y) {
  if (h == nullptr) return kSparseNotInitialized;
  if (c == nullptr || s == nullptr || x == nullptr || y == nullptr || x->number != y->number)
    return kSparseInvalidValue;
  const int number = static_cast<int>(x->number), bytes = size_bytes(x->number);
  const Scalar cosine = h->scalar(c, number), sine = h->scalar(s, number);
  SparseCall call{.name = fmt::format("rot {} {}", name(x->number), x->stored),
                  .flops = 6.0 * static_cast<double>(x->stored)};
  call.touches = {touched(x->indices.data, x->stored, x->indices.bytes, false),
                  touched(x->values, x->stored, bytes, true), touched(y->values, y->size, bytes, true)};
  call.run = [=, from = *x, to = *y]() -> Status {
    for (int64_t k = 0; k < from.stored; ++k) {
      char* const a = static_cast<char*>(from.values) + k * bytes;
      char* const b = static_cast<char*>(to.values) + from.indices.at(k) * bytes;
      const C64 x_before = load_one(from.number, a), y_before = load_one(from.number, b);
      const C64 x_now = cosine.now() * x_before + sine.now() * y_before,
                y_now = cosine.now() * y_before - sine.now() * x_before;
      store(&x_now, 1, from.number, a, 1);
      store(&y_now, 1, from.number, b, 1);
    }
    return {};
  };
  return queue_sparse(h, std::move(call));
}
