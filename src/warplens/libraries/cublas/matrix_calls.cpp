// cuBLAS: a matrix and a vector, triangles, symmetric matrices, sums and scalings of matrices.
#include <algorithm>

#include "warplens/libraries/cublas/vectors.h"
#include "warplens/libraries/math/cpu_library.h"

using namespace warplens;
using namespace warplens::libraries;

namespace {

using C32 = std::complex<float>;
using C64 = std::complex<double>;

/// The letters by which LAPACK knows cuBLAS's choices.
char op_letter(int op) { return "NTC"[op]; }
char side_letter(int side) { return "LR"[side]; }
char fill_letter(int fill) { return "LU"[fill]; }
char diagonal_letter(int diagonal) { return "NU"[diagonal]; }

template <typename T>
std::string blas_name(const char* operation) {
  constexpr char kLetters[] = "sd  cz";
  return kLetters[static_cast<int>(kNumberOf<T>)] + std::string(operation) + "_";
}

struct Pair {
  int side, fill, op, diagonal;
};
bool is_pair(const Pair& p) {
  const auto bit = [](int v) { return v == 0 || v == 1; };
  return bit(p.side) && bit(p.fill) && bit(p.diagonal) && p.op >= 0 && p.op <= 2;
}

template <typename T>
using Triangular = void(const char*, const char*, const char*, const char*, const int*, const int*, const T*, const T*,
                        const int*, T*, const int*);

/// A triangle of A with a matrix B: trsm solves, trmm multiplies. `batch`: of A and B, as many as there are.
template <typename T>
struct TriangleWork {
  const char* name;
  Pair pair;
  int64_t m, n;
  Scalar alpha;
  int64_t lda, ldb, count;
  std::function<std::pair<const T*, T*>(int64_t)> batch;

  Status operator()() const {
    WL_ASSIGN(Triangular<T>* const work, cpu_function<Triangular<T>>(blas_name<T>(name).c_str()));
    const char side = side_letter(pair.side), fill = fill_letter(pair.fill), op = op_letter(pair.op),
               diagonal = diagonal_letter(pair.diagonal);
    const int rows = static_cast<int>(m), columns = static_cast<int>(n), a_leading = static_cast<int>(lda),
              b_leading = static_cast<int>(ldb);
    const T factor = scalar_as<T>(alpha);
    for (int64_t i = 0; i < count; ++i) {
      const auto [a, b] = batch(i);
      work(&side, &fill, &op, &diagonal, &rows, &columns, &factor, a, &a_leading, b, &b_leading);
    }
    return {};
  }
};

template <typename T>
int queue_triangles(BlasHandle* h, TriangleWork<T> work) {
  if (h == nullptr) return kBlasNotInitialized;
  const int64_t order = work.pair.side == 0 ? work.m : work.n;
  if (!is_pair(work.pair) || work.m < 0 || work.n < 0 || work.count < 0 || work.lda < std::max<int64_t>(order, 1) ||
      work.ldb < std::max<int64_t>(work.m, 1))
    return kBlasInvalidValue;
  if (work.m == 0 || work.n == 0 || work.count == 0) return kBlasSuccess;
  const auto touches = [work, order] {
    std::vector<TouchedMemory> out;
    for (int64_t i = 0; i < work.count; ++i) {
      const auto [a, b] = work.batch(i);
      out.push_back(touched_matrix(a, sizeof(T), order, order, work.lda, false));
      out.push_back(touched_matrix(b, sizeof(T), work.m, work.n, work.ldb, true));
    }
    for (TouchedMemory& t : out)
      if (!t.written) t.rows = 0;  // half of a triangle may be unwritten: what is read is not a rectangle
    return out;
  };
  const auto batches = static_cast<double>(work.count), area = static_cast<double>(work.m * work.n);
  const double flops = batches * area * static_cast<double>(order), bytes = batches * area * 2 * sizeof(T);
  std::string text = fmt::format("{} {} {}x{}", work.name, name(kNumberOf<T>), work.m, work.n);
  if (work.count > 1) text += fmt::format(" batch {}", work.count);
  return blas_status(queue(h->stream, {.name = std::move(text),
                                       .time = streaming_time(bytes, flops, *device()),
                                       .touches = touches,
                                       .run = std::move(work)}));
}

template <typename T>
int triangle(BlasHandle* h, const char* name, const Pair& pair, int64_t m, int64_t n, const void* alpha, const void* a,
             int64_t lda, void* b, int64_t ldb) {
  if (h == nullptr) return kBlasNotInitialized;
  return queue_triangles<T>(h, {name, pair, m, n, h->scalar(alpha, kNumberOf<T>), lda, ldb, 1,
                                [=](int64_t) { return std::pair(static_cast<const T*>(a), static_cast<T*>(b)); }});
}

/// cuBLAS's trmm leaves B as it is and writes C.
template <typename T>
int trmm(BlasHandle* h, const Pair& pair, int64_t m, int64_t n, const void* alpha, const void* a, int64_t lda,
         const void* b, int64_t ldb, void* c, int64_t ldc) {
  if (h == nullptr) return kBlasNotInitialized;
  if (b != c) {
    const int copied = queue_streaming(
        *h, fmt::format("copy {} {}x{}", name(kNumberOf<T>), m, n), 0,
        {touched_matrix(b, sizeof(T), m, n, ldb, false), touched_matrix(c, sizeof(T), m, n, ldc, true)}, [=] {
          for (int64_t j = 0; j < n; ++j)
            std::copy_n(static_cast<const T*>(b) + j * ldb, m, static_cast<T*>(c) + j * ldc);
          return Status();
        });
    if (copied != kBlasSuccess) return copied;
  }
  return triangle<T>(h, "trmm", pair, m, n, alpha, a, lda, c, ldc);
}

/// y = alpha op(A) x + beta y, as a product with a matrix of one column.
template <typename T>
int gemv(BlasHandle* h, int op, int64_t m, int64_t n, const void* alpha, const void* a, int64_t lda, const void* x,
         int64_t x_step, const void* beta, void* y, int64_t y_step) {
  if (h == nullptr) return kBlasNotInitialized;
  if (op < 0 || op > 2 || m < 0 || n < 0 || lda < std::max<int64_t>(m, 1) || x_step == 0 || y_step == 0)
    return kBlasInvalidValue;
  if (m == 0 || n == 0) return kBlasSuccess;
  Product p{.m = op == 0 ? m : n, .n = 1, .k = op == 0 ? n : m};
  const auto vector = [](const void* data, int64_t count, int64_t step) {
    auto* const first = static_cast<T*>(const_cast<void*>(data)) + (step < 0 ? (1 - count) * step : 0);
    return Matrix{.data = first, .number = kNumberOf<T>, .row_step = step, .column_step = 1};
  };
  p.a = column_major(a, kNumberOf<T>, lda, op);
  p.b = vector(x, p.k, x_step);
  p.c = p.d = vector(y, p.m, y_step);
  return blas_status(queue_product(h->stream, p, h->scalar(alpha, kNumberOf<T>), h->scalar(beta, kNumberOf<T>)));
}

/// A = alpha x y^T + A.
template <typename T>
int ger(BlasHandle* h, int64_t m, int64_t n, const void* alpha, const void* x, int64_t x_step, const void* y,
        int64_t y_step, void* a, int64_t lda, bool conjugated) {
  if (h == nullptr) return kBlasNotInitialized;
  if (m < 0 || n < 0 || x_step <= 0 || y_step <= 0 || lda < std::max<int64_t>(m, 1)) return kBlasInvalidValue;
  if (m == 0 || n == 0) return kBlasSuccess;
  Product p{.m = m, .n = n, .k = 1};
  p.a = {.data = const_cast<void*>(x), .number = kNumberOf<T>, .row_step = x_step, .column_step = 1};
  p.b = {.data = const_cast<void*>(y),
         .number = kNumberOf<T>,
         .row_step = 1,
         .column_step = y_step,
         .conjugate = conjugated};
  p.c = p.d = column_major(a, kNumberOf<T>, lda);
  static const T kOne = 1;
  return blas_status(queue_product(h->stream, p, h->scalar(alpha, kNumberOf<T>), Scalar(&kOne, kNumberOf<T>, false)));
}

template <typename T>
using Symmetric = void(const char*, const char*, const int*, const int*, const T*, const T*, const int*, const T*,
                       const int*, const T*, T*, const int*);

/// symm and hemm: C = alpha A B + beta C, one triangle of A given; syrk and herk have the same arguments in Fortran.
template <typename T, typename S = T>
int symmetric(BlasHandle* h, const char* operation, char first, char second, int64_t m, int64_t n, const void* alpha,
              const void* a, int64_t lda, const void* b, int64_t ldb, const void* beta, void* c, int64_t ldc,
              int64_t written_rows, int64_t written_columns) {
  if (h == nullptr) return kBlasNotInitialized;
  const Scalar scale = h->scalar(alpha, kNumberOf<S>), add = h->scalar(beta, kNumberOf<S>);
  const double flops = 2.0 * static_cast<double>(m) * static_cast<double>(m) * static_cast<double>(n);
  return queue_streaming(*h, fmt::format("{} {} {}x{}", operation, name(kNumberOf<T>), m, n), flops,
                         {touched_matrix(c, sizeof(T), written_rows, written_columns, ldc, true)}, [=]() -> Status {
                           const int rows = static_cast<int>(m), columns = static_cast<int>(n),
                                     a_leading = static_cast<int>(lda), b_leading = static_cast<int>(ldb),
                                     c_leading = static_cast<int>(ldc);
                           const S factor = scalar_as<S>(scale), added = scalar_as<S>(add);
                           const std::string function = blas_name<T>(operation);
                           if (b != nullptr) {
                             WL_ASSIGN(Symmetric<T>* const work, cpu_function<Symmetric<T>>(function.c_str()));
                             const T wide_factor = T(factor), wide_added = T(added);
                             work(&first, &second, &rows, &columns, &wide_factor, static_cast<const T*>(a), &a_leading,
                                  static_cast<const T*>(b), &b_leading, &wide_added, static_cast<T*>(c), &c_leading);
                             return {};
                           }
                           using RankK = void(const char*, const char*, const int*, const int*, const S*, const T*,
                                              const int*, const S*, T*, const int*);
                           WL_ASSIGN(RankK* const work, cpu_function<RankK>(function.c_str()));
                           work(&first, &second, &rows, &columns, &factor, static_cast<const T*>(a), &a_leading, &added,
                                static_cast<T*>(c), &c_leading);
                           return {};
                         });
}

/// C = alpha op(A) + beta op(B).
template <typename T>
int geam(BlasHandle* h, int op_a, int op_b, int64_t m, int64_t n, const void* alpha, const void* a, int64_t lda,
         const void* beta, const void* b, int64_t ldb, void* c, int64_t ldc) {
  if (h == nullptr) return kBlasNotInitialized;
  if (op_a < 0 || op_a > 2 || op_b < 0 || op_b > 2 || m < 0 || n < 0 || ldc < std::max<int64_t>(m, 1))
    return kBlasInvalidValue;
  const Scalar left = h->scalar(alpha, kNumberOf<T>), right = h->scalar(beta, kNumberOf<T>);
  const Matrix x = column_major(a, kNumberOf<T>, lda, op_a), y = column_major(b, kNumberOf<T>, ldb, op_b);
  const auto value = [](const Matrix& matrix, int64_t i, int64_t j) {
    const T v = static_cast<const T*>(matrix.data)[i * matrix.row_step + j * matrix.column_step];
    if constexpr (std::is_floating_point_v<T>) return v;
    else return matrix.conjugate ? std::conj(v) : v;
  };
  return queue_streaming(*h, fmt::format("geam {} {}x{}", name(kNumberOf<T>), m, n), 0,
                         {touched_matrix(c, sizeof(T), m, n, ldc, true)}, [=] {
                           const T p = scalar_as<T>(left), q = scalar_as<T>(right);
                           std::vector<T> out(static_cast<size_t>(m * n));  // C may be A or B
                           for (int64_t j = 0; j < n; ++j)
                             for (int64_t i = 0; i < m; ++i)
                               out[static_cast<size_t>(j * m + i)] =
                                   (p != T(0) ? p * value(x, i, j) : T(0)) + (q != T(0) ? q * value(y, i, j) : T(0));
                           for (int64_t j = 0; j < n; ++j)
                             std::copy_n(out.data() + j * m, m, static_cast<T*>(c) + j * ldc);
                           return Status();
                         });
}

/// C = A diag(x) or diag(x) A.
template <typename T>
int dgmm(BlasHandle* h, int side, int64_t m, int64_t n, const void* a, int64_t lda, const void* x, int64_t step,
         void* c, int64_t ldc) {
  if (h == nullptr) return kBlasNotInitialized;
  if (side < 0 || side > 1 || m < 0 || n < 0 || lda < std::max<int64_t>(m, 1) || ldc < std::max<int64_t>(m, 1))
    return kBlasInvalidValue;
  const int64_t count = side == 0 ? m : n, first = step < 0 ? (1 - count) * step : 0;
  return queue_streaming(
      *h, fmt::format("dgmm {} {}x{}", name(kNumberOf<T>), m, n), 0,
      {touched_matrix(a, sizeof(T), m, n, lda, false), touched_matrix(c, sizeof(T), m, n, ldc, true)}, [=] {
        for (int64_t j = 0; j < n; ++j)
          for (int64_t i = 0; i < m; ++i)
            static_cast<T*>(c)[j * ldc + i] =
                static_cast<const T*>(a)[j * lda + i] * static_cast<const T*>(x)[first + (side == 0 ? i : j) * step];
        return Status();
      });
}

}  // namespace

#define MATRICES(L, T, I, wide)                                                                                        \
  CUDA_API int cublas##L##gemv_v2##wide(BlasHandle* h, int op, I m, I n, const void* alpha, const void* a, I lda,      \
                                        const void* x, I x_step, const void* beta, void* y, I y_step) {                \
    return gemv<T>(h, op, m, n, alpha, a, lda, x, x_step, beta, y, y_step);                                            \
  }                                                                                                                    \
  CUDA_API int cublas##L##trsm_v2##wide(BlasHandle* h, int side, int fill, int op, int diagonal, I m, I n,             \
                                        const void* alpha, const void* a, I lda, void* b, I ldb) {                     \
    return triangle<T>(h, "trsm", {side, fill, op, diagonal}, m, n, alpha, a, lda, b, ldb);                            \
  }                                                                                                                    \
  CUDA_API int cublas##L##trsmBatched##wide(BlasHandle* h, int side, int fill, int op, int diagonal, I m, I n,         \
                                            const void* alpha, const T* const* a, I lda, T* const* b, I ldb,           \
                                            I count) {                                                                 \
    if (h == nullptr) return kBlasNotInitialized;                                                                      \
    return queue_triangles<T>(                                                                                         \
        h,                                                                                                             \
        {"trsm", {side, fill, op, diagonal}, m, n, h->scalar(alpha, kNumberOf<T>), lda, ldb, count, [=](int64_t i) {   \
           return std::pair(a[i], b[i]);                                                                               \
         }});                                                                                                          \
  }                                                                                                                    \
  CUDA_API int cublas##L##trmm_v2##wide(BlasHandle* h, int side, int fill, int op, int diagonal, I m, I n,             \
                                        const void* alpha, const void* a, I lda, const void* b, I ldb, void* c,        \
                                        I ldc) {                                                                       \
    return trmm<T>(h, {side, fill, op, diagonal}, m, n, alpha, a, lda, b, ldb, c, ldc);                                \
  }                                                                                                                    \
  CUDA_API int cublas##L##symm_v2##wide(BlasHandle* h, int side, int fill, I m, I n, const void* alpha, const void* a, \
                                        I lda, const void* b, I ldb, const void* beta, void* c, I ldc) {               \
    return symmetric<T>(h, "symm", side_letter(side & 1), fill_letter(fill & 1), m, n, alpha, a, lda, b, ldb, beta, c, \
                        ldc, m, n);                                                                                    \
  }                                                                                                                    \
  CUDA_API int cublas##L##syrk_v2##wide(BlasHandle* h, int fill, int op, I n, I k, const void* alpha, const void* a,   \
                                        I lda, const void* beta, void* c, I ldc) {                                     \
    return symmetric<T>(h, "syrk", fill_letter(fill & 1), op_letter(op & 1), n, k, alpha, a, lda, nullptr, 0, beta, c, \
                        ldc, n, n);                                                                                    \
  }                                                                                                                    \
  CUDA_API int cublas##L##syr2k_v2##wide(BlasHandle* h, int fill, int op, I n, I k, const void* alpha, const void* a,  \
                                         I lda, const void* b, I ldb, const void* beta, void* c, I ldc) {              \
    return symmetric<T>(h, "syr2k", fill_letter(fill & 1), op_letter(op & 1), n, k, alpha, a, lda, b, ldb, beta, c,    \
                        ldc, n, n);                                                                                    \
  }                                                                                                                    \
  CUDA_API int cublas##L##geam##wide(BlasHandle* h, int op_a, int op_b, I m, I n, const void* alpha, const void* a,    \
                                     I lda, const void* beta, const void* b, I ldb, void* c, I ldc) {                  \
    return geam<T>(h, op_a, op_b, m, n, alpha, a, lda, beta, b, ldb, c, ldc);                                          \
  }                                                                                                                    \
  CUDA_API int cublas##L##dgmm##wide(BlasHandle* h, int side, I m, I n, const void* a, I lda, const void* x, I step,   \
                                     void* c, I ldc) {                                                                 \
    return dgmm<T>(h, side, m, n, a, lda, x, step, c, ldc);                                                            \
  }
#define OUTER(name, T, conjugated, I, wide)                                                                 \
  CUDA_API int cublas##name##_v2##wide(BlasHandle* h, I m, I n, const void* alpha, const void* x, I x_step, \
                                       const void* y, I y_step, void* a, I lda) {                           \
    return ger<T>(h, m, n, alpha, x, x_step, y, y_step, a, lda, conjugated);                                \
  }
#define HERMITIAN(L, T, R, I, wide)                                                                                    \
  CUDA_API int cublas##L##hemm_v2##wide(BlasHandle* h, int side, int fill, I m, I n, const void* alpha, const void* a, \
                                        I lda, const void* b, I ldb, const void* beta, void* c, I ldc) {               \
    return symmetric<T>(h, "hemm", side_letter(side & 1), fill_letter(fill & 1), m, n, alpha, a, lda, b, ldb, beta, c, \
                        ldc, m, n);                                                                                    \
  }                                                                                                                    \
  CUDA_API int cublas##L##herk_v2##wide(BlasHandle* h, int fill, int op, I n, I k, const void* alpha, const void* a,   \
                                        I lda, const void* beta, void* c, I ldc) {                                     \
    return symmetric<T, R>(h, "herk", fill_letter(fill & 1), op == 0 ? 'N' : 'C', n, k, alpha, a, lda, nullptr, 0,     \
                           beta, c, ldc, n, n);                                                                        \
  }
MATRICES(S, float, int, )
MATRICES(S, float, int64_t, _64)
MATRICES(D, double, int, )
MATRICES(D, double, int64_t, _64)
MATRICES(C, C32, int, )
MATRICES(C, C32, int64_t, _64)
MATRICES(Z, C64, int, )
MATRICES(Z, C64, int64_t, _64)
OUTER(Sger, float, false, int, )
OUTER(Sger, float, false, int64_t, _64)
OUTER(Dger, double, false, int, )
OUTER(Dger, double, false, int64_t, _64)
OUTER(Cgeru, C32, false, int, )
OUTER(Cgeru, C32, false, int64_t, _64)
OUTER(Cgerc, C32, true, int, )
OUTER(Cgerc, C32, true, int64_t, _64)
OUTER(Zgeru, C64, false, int, )
OUTER(Zgeru, C64, false, int64_t, _64)
OUTER(Zgerc, C64, true, int, )
OUTER(Zgerc, C64, true, int64_t, _64)
HERMITIAN(C, C32, float, int, )
HERMITIAN(C, C32, float, int64_t, _64)
HERMITIAN(Z, C64, double, int, )
HERMITIAN(Z, C64, double, int64_t, _64)
#undef HERMITIAN
#undef OUTER
#undef MATRICES
