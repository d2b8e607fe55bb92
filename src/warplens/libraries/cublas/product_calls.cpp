// cuBLAS: products of two matrices, one, strided batches and batches of pointers.
#include <algorithm>

#include "warplens/libraries/cublas/handle.h"

using namespace warplens;
using namespace warplens::libraries;

namespace {

/// As cublasComputeType_t numbers them.
enum Compute : int {
  k16F = 64,
  k16FPedantic = 65,
  k32F = 68,
  k32FPedantic = 69,
  k64F = 70,
  k64FPedantic = 71,
  k32I = 72,
  k32IPedantic = 73,
  k32FFast16F = 74,
  k32FFast16BF = 75,
  k32FFastTf32 = 77,
  k32FEmulated = 78,
  k64FEmulated = 79,
};

/// The type of alpha and beta.
Number scalar_number(int compute, Number a) {
  switch (compute) {
    case k16F:
    case k16FPedantic: return Number::kF16;
    case k64F:
    case k64FPedantic:
    case k64FEmulated: return is_complex(a) ? Number::kC64 : Number::kF64;
    case k32I:
    case k32IPedantic: return Number::kI32;
    default: return is_complex(a) ? Number::kC32 : Number::kF32;
  }
}

struct Operand {
  const void* data;
  const void* const* batch;
  int type;
  int64_t leading, stride;
};

struct Gemm {
  int op_a, op_b;
  int64_t m, n, k;
  const void* alpha;
  Operand a, b;
  const void* beta;
  Operand c;
  int64_t batches;
  int compute;
};

bool is_op(int op) { return op >= 0 && op <= 2; }

int check(const Gemm& g) {
  if (!is_op(g.op_a) || !is_op(g.op_b) || g.m < 0 || g.n < 0 || g.k < 0 || g.batches < 0) return kBlasInvalidValue;
  const int64_t a_rows = g.op_a == 0 ? g.m : g.k, b_rows = g.op_b == 0 ? g.k : g.n;
  const auto least = [](int64_t rows) { return std::max<int64_t>(rows, 1); };
  if (g.a.leading < least(a_rows) || g.b.leading < least(b_rows) || g.c.leading < least(g.m)) return kBlasInvalidValue;
  if (g.alpha == nullptr || g.beta == nullptr) return kBlasInvalidValue;
  for (const Operand* operand : {&g.a, &g.b, &g.c})
    if (size_bytes(static_cast<Number>(operand->type)) == 0) return kBlasNotSupported;
  return kBlasSuccess;
}

Matrix matrix_of(const Operand& operand, int op) {
  Matrix out = column_major(operand.data, static_cast<Number>(operand.type), operand.leading, op);
  out.batch_step = operand.stride;
  out.batch = const_cast<void* const*>(reinterpret_cast<const void* const*>(operand.batch));
  return out;
}

int multiply(BlasHandle* handle, const Gemm& g) {
  if (handle == nullptr) return kBlasNotInitialized;
  if (const int status = check(g); status != kBlasSuccess) return status;
  if (g.m == 0 || g.n == 0 || g.batches == 0) return kBlasSuccess;
  Product p{.m = g.m, .n = g.n, .k = g.k, .batches = g.batches};
  p.a = matrix_of(g.a, g.op_a);
  p.b = matrix_of(g.b, g.op_b);
  p.c = p.d = matrix_of(g.c, 0);
  const bool fast = g.compute == k32FFastTf32 || g.compute == k32FFast16F || g.compute == k32FFast16BF;
  p.tf32 = p.a.number == Number::kF32 && (fast || (g.compute == k32F && handle->allows_tf32()));
  const Number scalars = scalar_number(g.compute, p.a.number);
  return blas_status(
      queue_product(handle->stream, p, handle->scalar(g.alpha, scalars), handle->scalar(g.beta, scalars)));
}

constexpr int kOne = 1;
template <Number kNumber>
constexpr int kCompute = kNumber == Number::kF64 || kNumber == Number::kC64 ? k64F
                         : kNumber == Number::kF16                          ? k16F
                                                                            : k32F;

template <Number kNumber>
int typed(BlasHandle* handle, int op_a, int op_b, int64_t m, int64_t n, int64_t k, const void* alpha, Operand a,
          Operand b, const void* beta, Operand c, int64_t batches) {
  a.type = b.type = c.type = static_cast<int>(kNumber);
  return multiply(handle, {op_a, op_b, m, n, k, alpha, a, b, beta, c, batches, kCompute<kNumber>});
}

}  // namespace

// Of one type throughout: S, D, C, Z and H.
#define TYPED(L, v2, number, I, wide)                                                                                \
  CUDA_API int cublas##L##gemm##v2##wide(BlasHandle* h, int op_a, int op_b, I m, I n, I k, const void* alpha,        \
                                         const void* a, I lda, const void* b, I ldb, const void* beta, void* c,      \
                                         I ldc) {                                                                    \
    return typed<number>(h, op_a, op_b, m, n, k, alpha, {a, nullptr, 0, lda, 0}, {b, nullptr, 0, ldb, 0}, beta,      \
                         {c, nullptr, 0, ldc, 0}, kOne);                                                             \
  }                                                                                                                  \
  CUDA_API int cublas##L##gemmBatched##wide(BlasHandle* h, int op_a, int op_b, I m, I n, I k, const void* alpha,     \
                                            const void* const* a, I lda, const void* const* b, I ldb,                \
                                            const void* beta, void* const* c, I ldc, I count) {                      \
    return typed<number>(h, op_a, op_b, m, n, k, alpha, {nullptr, a, 0, lda, 0}, {nullptr, b, 0, ldb, 0}, beta,      \
                         {nullptr, c, 0, ldc, 0}, count);                                                            \
  }                                                                                                                  \
  CUDA_API int cublas##L##gemmStridedBatched##wide(                                                                  \
      BlasHandle* h, int op_a, int op_b, I m, I n, I k, const void* alpha, const void* a, I lda, long long stride_a, \
      const void* b, I ldb, long long stride_b, const void* beta, void* c, I ldc, long long stride_c, I count) {     \
    return typed<number>(h, op_a, op_b, m, n, k, alpha, {a, nullptr, 0, lda, stride_a},                              \
                         {b, nullptr, 0, ldb, stride_b}, beta, {c, nullptr, 0, ldc, stride_c}, count);               \
  }
// Of types by element, with that of the sums named.
#define EX(I, wide)                                                                                                    \
  TYPED(S, _v2, Number::kF32, I, wide)                                                                                 \
  TYPED(D, _v2, Number::kF64, I, wide)                                                                                 \
  TYPED(C, _v2, Number::kC32, I, wide)                                                                                 \
  TYPED(Z, _v2, Number::kC64, I, wide)                                                                                 \
  TYPED(H, , Number::kF16, I, wide)                                                                                    \
  CUDA_API int cublasGemmEx##wide(BlasHandle* h, int op_a, int op_b, I m, I n, I k, const void* alpha, const void* a,  \
                                  int a_type, I lda, const void* b, int b_type, I ldb, const void* beta, void* c,      \
                                  int c_type, I ldc, int compute, int) {                                               \
    return multiply(h, {op_a,                                                                                          \
                        op_b,                                                                                          \
                        m,                                                                                             \
                        n,                                                                                             \
                        k,                                                                                             \
                        alpha,                                                                                         \
                        {a, nullptr, a_type, lda, 0},                                                                  \
                        {b, nullptr, b_type, ldb, 0},                                                                  \
                        beta,                                                                                          \
                        {c, nullptr, c_type, ldc, 0},                                                                  \
                        kOne,                                                                                          \
                        compute});                                                                                     \
  }                                                                                                                    \
  CUDA_API int cublasGemmBatchedEx##wide(BlasHandle* h, int op_a, int op_b, I m, I n, I k, const void* alpha,          \
                                         const void* const* a, int a_type, I lda, const void* const* b, int b_type,    \
                                         I ldb, const void* beta, void* const* c, int c_type, I ldc, I count,          \
                                         int compute, int) {                                                           \
    return multiply(h, {op_a,                                                                                          \
                        op_b,                                                                                          \
                        m,                                                                                             \
                        n,                                                                                             \
                        k,                                                                                             \
                        alpha,                                                                                         \
                        {nullptr, a, a_type, lda, 0},                                                                  \
                        {nullptr, b, b_type, ldb, 0},                                                                  \
                        beta,                                                                                          \
                        {nullptr, c, c_type, ldc, 0},                                                                  \
                        count,                                                                                         \
                        compute});                                                                                     \
  }                                                                                                                    \
  CUDA_API int cublasGemmStridedBatchedEx##wide(BlasHandle* h, int op_a, int op_b, I m, I n, I k, const void* alpha,   \
                                                const void* a, int a_type, I lda, long long stride_a, const void* b,   \
                                                int b_type, I ldb, long long stride_b, const void* beta, void* c,      \
                                                int c_type, I ldc, long long stride_c, I count, int compute, int) {    \
    return multiply(h, {op_a,                                                                                          \
                        op_b,                                                                                          \
                        m,                                                                                             \
                        n,                                                                                             \
                        k,                                                                                             \
                        alpha,                                                                                         \
                        {a, nullptr, a_type, lda, stride_a},                                                           \
                        {b, nullptr, b_type, ldb, stride_b},                                                           \
                        beta,                                                                                          \
                        {c, nullptr, c_type, ldc, stride_c},                                                           \
                        count,                                                                                         \
                        compute});                                                                                     \
  }                                                                                                                    \
  CUDA_API int cublasSgemmEx##wide(BlasHandle* h, int op_a, int op_b, I m, I n, I k, const float* alpha,               \
                                   const void* a, int a_type, I lda, const void* b, int b_type, I ldb,                 \
                                   const float* beta, void* c, int c_type, I ldc) {                                    \
    return cublasGemmEx##wide(h, op_a, op_b, m, n, k, alpha, a, a_type, lda, b, b_type, ldb, beta, c, c_type, ldc,     \
                              k32F, 0);                                                                                \
  }                                                                                                                    \
  CUDA_API int cublasCgemmEx##wide(BlasHandle* h, int op_a, int op_b, I m, I n, I k, const void* alpha, const void* a, \
                                   int a_type, I lda, const void* b, int b_type, I ldb, const void* beta, void* c,     \
                                   int c_type, I ldc) {                                                                \
    return cublasGemmEx##wide(h, op_a, op_b, m, n, k, alpha, a, a_type, lda, b, b_type, ldb, beta, c, c_type, ldc,     \
                              k32F, 0);                                                                                \
  }
EX(int, )
EX(int64_t, _64)
#undef EX
#undef TYPED
