// cuBLAS: symmetric and Hermitian sums of products of two matrices, of which a triangle is written; packing a triangle.
#include "warplens/libraries/cublas/stored.h"
#include "warplens/libraries/math/product.h"

using namespace warplens;
using namespace warplens::libraries;

namespace {

using C32 = std::complex<float>;
using C64 = std::complex<double>;

/// How op(A) and op(B) make the sum.
struct PairOfFactors {
  const char* name;
  bool hermitian;  // op(B) is conjugated, the diagonal is real
  bool both;       // and its transpose is added
};

/// C = alpha op(A) op(B)^T + beta C. B: beta's type.
template <typename T, typename B>
int rank_of_two(BlasHandle* h, const PairOfFactors& how, int fill, int op, int64_t n, int64_t k, const void* alpha,
                const void* a, int64_t lda, const void* b, int64_t ldb, const void* beta, void* c, int64_t ldc) {
  if (h == nullptr) return kBlasNotInitialized;
  const Stored kept =
      Stored::triangle(how.hermitian ? Structure::kHermitian : Structure::kSymmetric, Layout::kFull, fill, n, ldc, 0);
  const int64_t least = std::max<int64_t>(op == 0 ? n : k, 1);
  const int transposed = how.hermitian ? 2 : 1;
  const bool is_op = op == 0 || op == transposed || (op == 2 && std::is_floating_point_v<T>);
  if ((fill != 0 && fill != 1) || !is_op || k < 0 || !kept.is_valid() || lda < least || ldb < least)
    return kBlasInvalidValue;
  if (n == 0) return kBlasSuccess;
  const Scalar scale = h->scalar(alpha, kNumberOf<T>), add = h->scalar(beta, kNumberOf<B>);
  std::vector<TouchedMemory> touches = touched_elements<T>(c, kept, true);
  for (const auto& [factor, leading] : {std::pair(a, lda), std::pair(b, ldb)})
    touches.push_back(touched_matrix(factor, sizeof(T), op == 0 ? n : k, op == 0 ? k : n, leading, false));
  const double flops =
      (how.both ? 4.0 : 2.0) * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(k);
  return queue_streaming(*h, fmt::format("{} {} {}x{}", how.name, name(kNumberOf<T>), n, k), flops, std::move(touches),
                         [=]() -> Status {
                           std::vector<T> sums(static_cast<size_t>(n * n));
                           Product p{.m = n, .n = n, .k = k};
                           p.a = column_major(a, kNumberOf<T>, lda, op == 0 ? 0 : transposed);
                           p.b = column_major(b, kNumberOf<T>, ldb, op == 0 ? transposed : 0);
                           p.c = p.d = column_major(sums.data(), kNumberOf<T>, n);
                           p.alpha = scale.now();
                           WL_TRY(run(p));
                           const T kept_part = T(scalar_as<B>(add));
                           for (int64_t j = 0; j < n; ++j) {
                             const auto [first, end] = kept.kept_rows(j);
                             for (int64_t i = first; i < end; ++i) {
                               T& element = static_cast<T*>(c)[kept.place(i, j)];
                               T sum = sums[static_cast<size_t>(j * n + i)];
                               const T mirrored = sums[static_cast<size_t>(i * n + j)];
                               if (how.both) sum += how.hermitian ? conjugate(mirrored) : mirrored;
                               if (kept_part != T(0)) sum += kept_part * element;
                               element = how.hermitian && i == j ? T(std::real(sum)) : sum;
                             }
                           }
                           return {};
                         });
}

/// Copies a triangle to another layout.
template <typename T>
int relaid(BlasHandle* h, const char* what, int fill, int64_t n, const void* from, const Stored& source, void* to,
           const Stored& target) {
  if (h == nullptr) return kBlasNotInitialized;
  if ((fill != 0 && fill != 1) || !source.is_valid() || !target.is_valid()) return kBlasInvalidValue;
  std::vector<TouchedMemory> touches = touched_elements<T>(from, source, false);
  std::ranges::move(touched_elements<T>(to, target, true), std::back_inserter(touches));
  return queue_streaming(*h, fmt::format("{} {} {}x{}", what, name(kNumberOf<T>), n, n), 0, std::move(touches), [=] {
    for (int64_t j = 0; j < n; ++j) {
      const auto [first, end] = source.kept_rows(j);
      for (int64_t i = first; i < end; ++i)
        static_cast<T*>(to)[target.place(i, j)] = static_cast<const T*>(from)[source.place(i, j)];
    }
    return Status();
  });
}

Stored triangle_of(Layout layout, int fill, int64_t n, int64_t leading) {
  return Stored::triangle(Structure::kTriangle, layout, fill, n, leading, 0);
}

/// Products of one complex matrix by itself, whose elements' type is an argument.
bool is_c32(int a_type, int c_type) {
  return a_type == static_cast<int>(Number::kC32) && c_type == static_cast<int>(Number::kC32);
}
int refuse_types(const char* function) {
  tell_refused(function, "only complex float elements are emulated");
  return kBlasNotSupported;
}

}  // namespace

#define OF_TWO(function, how, T, B, I, wide)                                                                       \
  CUDA_API int cublas##function##wide(BlasHandle* h, int fill, int op, I n, I k, const void* alpha, const void* a, \
                                      I lda, const void* b, I ldb, const void* beta, void* c, I ldc) {             \
    return rank_of_two<T, B>(h, how, fill, op, n, k, alpha, a, lda, b, ldb, beta, c, ldc);                         \
  }
#define SYRKX(L, T, I, wide) OF_TWO(L##syrkx, (PairOfFactors{"syrkx", false, false}), T, T, I, wide)
#define HERMITIAN_PAIRS(L, T, R, I, wide)                                \
  OF_TWO(L##herkx, (PairOfFactors{"herkx", true, false}), T, R, I, wide) \
  OF_TWO(L##her2k_v2, (PairOfFactors{"her2k", true, true}), T, R, I, wide)
#define OF_ONE(what, ex, I, wide)                                                                                     \
  CUDA_API int cublasC##what##_v2##wide(BlasHandle*, int, int, I, I, const void*, const void*, I, const void*, void*, \
                                        I);                                                                           \
  CUDA_API int cublasC##what##ex##wide(BlasHandle* h, int fill, int op, I n, I k, const void* alpha, const void* a,   \
                                       int a_type, I lda, const void* beta, void* c, int c_type, I ldc) {             \
    if (!is_c32(a_type, c_type)) return refuse_types("cublasC" #what #ex);                                            \
    return cublasC##what##_v2##wide(h, fill, op, n, k, alpha, a, lda, beta, c, ldc);                                  \
  }
#define OF_SIZE(I, wide)                   \
  SYRKX(S, float, I, wide)                 \
  SYRKX(D, double, I, wide)                \
  SYRKX(C, C32, I, wide)                   \
  SYRKX(Z, C64, I, wide)                   \
  HERMITIAN_PAIRS(C, C32, float, I, wide)  \
  HERMITIAN_PAIRS(Z, C64, double, I, wide) \
  OF_ONE(syrk, Ex, I, wide)                \
  OF_ONE(syrk, 3mEx, I, wide)              \
  OF_ONE(herk, Ex, I, wide)                \
  OF_ONE(herk, 3mEx, I, wide)
OF_SIZE(int, )
OF_SIZE(int64_t, _64)
#undef OF_SIZE
#undef OF_ONE
#undef HERMITIAN_PAIRS
#undef SYRKX
#undef OF_TWO

#define PACKING(L, T)                                                                                   \
  CUDA_API int cublas##L##trttp(BlasHandle* h, int fill, int n, const void* a, int lda, void* packed) { \
    return relaid<T>(h, "trttp", fill, n, a, triangle_of(Layout::kFull, fill, n, lda), packed,          \
                     triangle_of(Layout::kPacked, fill, n, 0));                                         \
  }                                                                                                     \
  CUDA_API int cublas##L##tpttr(BlasHandle* h, int fill, int n, const void* packed, void* a, int lda) { \
    return relaid<T>(h, "tpttr", fill, n, packed, triangle_of(Layout::kPacked, fill, n, 0), a,          \
                     triangle_of(Layout::kFull, fill, n, lda));                                         \
  }
PACKING(S, float)
PACKING(D, double)
PACKING(C, C32)
PACKING(Z, C64)
#undef PACKING
