// cuBLAS: batches of a matrix and a vector, groups of batches of products, and complex products by three real ones.
#include <algorithm>

#include "warplens/libraries/cublas/handle.h"

using namespace warplens;
using namespace warplens::libraries;

namespace {

/// Matrices or vectors of a batch: one behind the other, or each behind its pointer.
struct Members {
  const void* data;
  const void* const* batch;
  int64_t step, stride;
};

/// y = alpha op(A) x + beta y for each member, as products with matrices of one column.
int gemv_of_batch(BlasHandle* h, int op, int64_t m, int64_t n, const void* alpha, const Members& a, const Members& x,
                  const void* beta, const Members& y, int64_t count, Number read, Number written, Number scalars) {
  if (h == nullptr) return kBlasNotInitialized;
  if (op < 0 || op > 2 || m < 0 || n < 0 || count < 0 || a.step < std::max<int64_t>(m, 1) || x.step == 0 || y.step == 0)
    return kBlasInvalidValue;
  if (m == 0 || n == 0 || count == 0) return kBlasSuccess;
  if (x.batch != nullptr && (x.step < 0 || y.step < 0)) {
    tell_refused("gemvBatched with a negative increment", "use a positive one");
    return kBlasNotSupported;
  }
  Product p{.m = op == 0 ? m : n, .n = 1, .k = op == 0 ? n : m, .batches = count};
  const auto with_batch = [](Matrix matrix, const Members& members) {
    matrix.batch_step = members.stride;
    matrix.batch = const_cast<void* const*>(members.batch);
    return matrix;
  };
  const auto vector = [&](const Members& members, int64_t length, Number number) {
    const int64_t first = members.step < 0 ? (1 - length) * members.step * size_bytes(number) : 0;
    void* const data = members.data == nullptr ? nullptr : static_cast<char*>(const_cast<void*>(members.data)) + first;
    return with_batch({.data = data, .number = number, .row_step = members.step, .column_step = 1}, members);
  };
  p.a = with_batch(column_major(a.data, read, a.step, op), a);
  p.b = vector(x, p.k, read);
  p.c = p.d = vector(y, p.m, written);
  return blas_status(queue_product(h->stream, p, h->scalar(alpha, scalars), h->scalar(beta, scalars)));
}

}  // namespace

#define GEMV(name, read, written, scalars, I, wide)                                                                  \
  CUDA_API int cublas##name##Batched##wide(BlasHandle* h, int op, I m, I n, const void* alpha, const void* const* a, \
                                           I lda, const void* const* x, I x_step, const void* beta, void* const* y,  \
                                           I y_step, I count) {                                                      \
    return gemv_of_batch(h, op, m, n, alpha, {nullptr, a, lda, 0}, {nullptr, x, x_step, 0}, beta,                    \
                         {nullptr, y, y_step, 0}, count, read, written, scalars);                                    \
  }                                                                                                                  \
  CUDA_API int cublas##name##StridedBatched##wide(                                                                   \
      BlasHandle* h, int op, I m, I n, const void* alpha, const void* a, I lda, long long a_stride, const void* x,   \
      I x_step, long long x_stride, const void* beta, void* y, I y_step, long long y_stride, I count) {              \
    return gemv_of_batch(h, op, m, n, alpha, {a, nullptr, lda, a_stride}, {x, nullptr, x_step, x_stride}, beta,      \
                         {y, nullptr, y_step, y_stride}, count, read, written, scalars);                             \
  }
#define GEMVS(I, wide)                                               \
  GEMV(Sgemv, Number::kF32, Number::kF32, Number::kF32, I, wide)     \
  GEMV(Dgemv, Number::kF64, Number::kF64, Number::kF64, I, wide)     \
  GEMV(Cgemv, Number::kC32, Number::kC32, Number::kC32, I, wide)     \
  GEMV(Zgemv, Number::kC64, Number::kC64, Number::kC64, I, wide)     \
  GEMV(HSHgemv, Number::kF16, Number::kF16, Number::kF32, I, wide)   \
  GEMV(HSSgemv, Number::kF16, Number::kF32, Number::kF32, I, wide)   \
  GEMV(TSTgemv, Number::kBf16, Number::kBf16, Number::kF32, I, wide) \
  GEMV(TSSgemv, Number::kBf16, Number::kF32, Number::kF32, I, wide)
GEMVS(int, )
GEMVS(int64_t, _64)
#undef GEMVS
#undef GEMV

// Each group is a batch of its own sizes; its members' pointers lie behind those of the groups before.
#define GROUPS(I, wide)                                                                                               \
  CUDA_API int cublasGemmBatchedEx##wide(BlasHandle*, int, int, I, I, I, const void*, const void* const*, int, I,     \
                                         const void* const*, int, I, const void*, void* const*, int, I, I, int, int); \
  CUDA_API int cublasGemmGroupedBatchedEx##wide(                                                                      \
      BlasHandle* h, const int* op_a, const int* op_b, const I* m, const I* n, const I* k, const void* alpha,         \
      const void* const* a, int a_type, const I* lda, const void* const* b, int b_type, const I* ldb,                 \
      const void* beta, void* const* c, int c_type, const I* ldc, I groups, const I* sizes, int compute) {            \
    if (h == nullptr) return kBlasNotInitialized;                                                                     \
    if (groups < 0 ||                                                                                                 \
        (groups > 0 && (sizes == nullptr || alpha == nullptr || beta == nullptr || h->device_scalars())))             \
      return kBlasInvalidValue;                                                                                       \
    constexpr int k64F = 70, k64FPedantic = 71;                                                                       \
    const size_t scalar = compute == k64F || compute == k64FPedantic ? sizeof(double) : sizeof(float);                \
    int64_t first = 0;                                                                                                \
    for (I g = 0; g < groups; first += sizes[g], ++g) {                                                               \
      const size_t at = static_cast<size_t>(g) * scalar;                                                              \
      const int status = cublasGemmBatchedEx##wide(h, op_a[g], op_b[g], m[g], n[g], k[g],                             \
                                                   static_cast<const char*>(alpha) + at, a + first, a_type, lda[g],   \
                                                   b + first, b_type, ldb[g], static_cast<const char*>(beta) + at,    \
                                                   c + first, c_type, ldc[g], sizes[g], compute, 0);                  \
      if (status != kBlasSuccess) return status;                                                                      \
    }                                                                                                                 \
    return kBlasSuccess;                                                                                              \
  }                                                                                                                   \
  GROUPS_OF(S, Number::kF32, 68, I, wide)                                                                             \
  GROUPS_OF(D, Number::kF64, 70, I, wide)
// `compute`: CUBLAS_COMPUTE_32F, CUBLAS_COMPUTE_64F.
#define GROUPS_OF(L, number, compute, I, wide)                                                                         \
  CUDA_API int cublas##L##gemmGroupedBatched##wide(BlasHandle* h, const int* op_a, const int* op_b, const I* m,        \
                                                   const I* n, const I* k, const void* alpha, const void* const* a,    \
                                                   const I* lda, const void* const* b, const I* ldb, const void* beta, \
                                                   void* const* c, const I* ldc, I groups, const I* sizes) {           \
    constexpr int kType = static_cast<int>(number);                                                                    \
    return cublasGemmGroupedBatchedEx##wide(h, op_a, op_b, m, n, k, alpha, a, kType, lda, b, kType, ldb, beta, c,      \
                                            kType, ldc, groups, sizes, compute);                                       \
  }
GROUPS(int, )
GROUPS(int64_t, _64)
#undef GROUPS_OF
#undef GROUPS

// "3m" chooses an algorithm: the product is the same.
#define PRODUCT_PARAMETERS(I)                                                                                      \
  BlasHandle *h, int op_a, int op_b, I m, I n, I k, const void *alpha, const void *a, I lda, const void *b, I ldb, \
      const void *beta, void *c, I ldc
#define THREE(L, I, wide)                                                                         \
  CUDA_API int cublas##L##gemm_v2##wide(PRODUCT_PARAMETERS(I));                                   \
  CUDA_API int cublas##L##gemm3m##wide(PRODUCT_PARAMETERS(I)) {                                   \
    return cublas##L##gemm_v2##wide(h, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc); \
  }
THREE(C, int, )
THREE(C, int64_t, _64)
THREE(Z, int, )
THREE(Z, int64_t, _64)
#undef THREE
#undef PRODUCT_PARAMETERS
#define THREE(I, wide)                                                                                                 \
  CUDA_API int cublasCgemmEx##wide(BlasHandle*, int, int, I, I, I, const void*, const void*, int, I, const void*, int, \
                                   I, const void*, void*, int, I);                                                     \
  CUDA_API int cublasCgemm3mEx##wide(BlasHandle* h, int op_a, int op_b, I m, I n, I k, const void* alpha,              \
                                     const void* a, int a_type, I lda, const void* b, int b_type, I ldb,               \
                                     const void* beta, void* c, int c_type, I ldc) {                                   \
    return cublasCgemmEx##wide(h, op_a, op_b, m, n, k, alpha, a, a_type, lda, b, b_type, ldb, beta, c, c_type, ldc);   \
  }                                                                                                                    \
  CUDA_API int cublasCgemmBatched##wide(BlasHandle*, int, int, I, I, I, const void*, const void* const*, I,            \
                                        const void* const*, I, const void*, void* const*, I, I);                       \
  CUDA_API int cublasCgemm3mBatched##wide(BlasHandle* h, int op_a, int op_b, I m, I n, I k, const void* alpha,         \
                                          const void* const* a, I lda, const void* const* b, I ldb, const void* beta,  \
                                          void* const* c, I ldc, I count) {                                            \
    return cublasCgemmBatched##wide(h, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, count);               \
  }                                                                                                                    \
  CUDA_API int cublasCgemmStridedBatched##wide(BlasHandle*, int, int, I, I, I, const void*, const void*, I, long long, \
                                               const void*, I, long long, const void*, void*, I, long long, I);        \
  CUDA_API int cublasCgemm3mStridedBatched##wide(                                                                      \
      BlasHandle* h, int op_a, int op_b, I m, I n, I k, const void* alpha, const void* a, I lda, long long a_stride,   \
      const void* b, I ldb, long long b_stride, const void* beta, void* c, I ldc, long long c_stride, I count) {       \
    return cublasCgemmStridedBatched##wide(h, op_a, op_b, m, n, k, alpha, a, lda, a_stride, b, ldb, b_stride, beta, c, \
                                           ldc, c_stride, count);                                                      \
  }
THREE(int, )
THREE(int64_t, _64)
#undef THREE
