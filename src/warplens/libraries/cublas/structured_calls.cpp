// cuBLAS: a vector, or two, and a matrix that is kept in part: products, solutions of triangles, updates of rank 1
// and 2.
#include "warplens/libraries/cublas/stored.h"

using namespace warplens;
using namespace warplens::libraries;

namespace {

using C32 = std::complex<float>;
using C64 = std::complex<double>;

bool is_fill(int fill) { return fill == 0 || fill == 1; }
bool is_triangle_of(int fill, int op, int diagonal) {
  return is_fill(fill) && op >= 0 && op <= 2 && (diagonal == 0 || diagonal == 1);
}

template <typename T>
std::string title(const char* operation, const Stored& a) {
  return fmt::format("{} {} {}x{}", operation, name(kNumberOf<T>), a.rows, a.columns);
}
double flops_of(const Stored& a) {
  const int64_t diagonals = std::min(a.rows, a.below + a.above + 1);
  return 2.0 * static_cast<double>(diagonals) * static_cast<double>(a.columns);
}

/// y = alpha op(A) x + beta y.
template <typename T>
int multiply_by_vector(BlasHandle* h, const char* operation, const Stored& a, int op, const void* alpha,
                       const void* data, const void* x, int64_t x_step, const void* beta, void* y, int64_t y_step) {
  if (h == nullptr) return kBlasNotInitialized;
  if (!a.is_valid() || op < 0 || op > 2 || x_step == 0 || y_step == 0) return kBlasInvalidValue;
  if (a.rows == 0 || a.columns == 0) return kBlasSuccess;
  const int64_t inputs = op == 0 ? a.columns : a.rows, outputs = op == 0 ? a.rows : a.columns;
  const Scalar scale = h->scalar(alpha, kNumberOf<T>), add = h->scalar(beta, kNumberOf<T>);
  std::vector<TouchedMemory> touches = touched_elements<T>(data, a, false);
  touches.push_back(touched_vector(x, sizeof(T), inputs, x_step, false));
  touches.push_back(touched_vector(y, sizeof(T), outputs, y_step, true));
  return queue_streaming(*h, title<T>(operation, a), flops_of(a), std::move(touches), [=] {
    const Elements<T> elements{static_cast<const T*>(data), a, op};
    const StridedVector<T> from(x, inputs, x_step), to(y, outputs, y_step);
    const auto factor = scalar_as<Wide<T>>(scale), kept = scalar_as<Wide<T>>(add);
    for (int64_t i = 0; i < outputs; ++i) {
      Wide<T> sum = 0;
      const auto [first, end] = elements.columns(i);
      for (int64_t j = first; j < end; ++j) sum += elements(i, j) * Wide<T>(from[j]);
      to[i] = T(factor * sum + (kept == Wide<T>(0) ? Wide<T>(0) : kept * Wide<T>(to[i])));
    }
    return Status();
  });
}

/// x = op(A) x of a triangle, or the x that op(A) makes x of.
template <typename T, bool kSolves>
int triangle_and_vector(BlasHandle* h, const char* operation, Layout layout, int fill, int op, int diagonal, int64_t n,
                        int64_t diagonals, const void* data, int64_t leading, void* x, int64_t step) {
  if (h == nullptr) return kBlasNotInitialized;
  Stored a = Stored::triangle(Structure::kTriangle, layout, fill, n, leading, diagonals);
  a.unit = diagonal == 1;
  if (!is_triangle_of(fill, op, diagonal) || !a.is_valid() || step == 0) return kBlasInvalidValue;
  if (n == 0) return kBlasSuccess;
  std::vector<TouchedMemory> touches{touched_vector(x, sizeof(T), n, step, false),
                                     touched_vector(x, sizeof(T), n, step, true)};
  if (!a.unit) std::ranges::move(touched_elements<T>(data, a, false), std::back_inserter(touches));
  return queue_streaming(*h, title<T>(operation, a), flops_of(a), std::move(touches), [=] {
    const Elements<T> elements{static_cast<const T*>(data), a, op};
    const StridedVector<T> values(x, n, step);
    std::vector<Wide<T>> wide(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i) wide[static_cast<size_t>(i)] = Wide<T>(values[i]);
    const bool upper = a.upper == (op == 0), upwards = kSolves ? upper : !upper;
    for (int64_t k = 0; k < n; ++k) {
      const int64_t i = upwards ? n - 1 - k : k;
      const auto [first, end] = elements.columns(i);
      Wide<T> sum = kSolves ? wide[static_cast<size_t>(i)] : elements(i, i) * wide[static_cast<size_t>(i)];
      for (int64_t j = first; j < end; ++j) {
        const Wide<T> term = j == i ? Wide<T>(0) : elements(i, j) * wide[static_cast<size_t>(j)];
        sum += kSolves ? -term : term;
      }
      wide[static_cast<size_t>(i)] = kSolves ? sum / elements(i, i) : sum;
    }
    for (int64_t i = 0; i < n; ++i) values[i] = T(wide[static_cast<size_t>(i)]);
    return Status();
  });
}

/// A += alpha x op(x), or alpha x op(y) + op(alpha) y op(x) where there is a y. op: transposed, of a Hermitian matrix
/// conjugated too. A: alpha's type.
template <typename T, typename A = T>
int update(BlasHandle* h, const char* operation, Structure structure, Layout layout, int fill, int64_t n,
           const void* alpha, const void* x, int64_t x_step, const void* y, int64_t y_step, void* data,
           int64_t leading) {
  if (h == nullptr) return kBlasNotInitialized;
  const Stored a = Stored::triangle(structure, layout, fill, n, leading, 0);
  if (!is_fill(fill) || !a.is_valid() || x_step == 0 || (y != nullptr && y_step == 0)) return kBlasInvalidValue;
  if (n == 0) return kBlasSuccess;
  const Scalar scale = h->scalar(alpha, kNumberOf<A>);
  std::vector<TouchedMemory> touches = touched_elements<T>(data, a, true);
  touches.push_back(touched_vector(x, sizeof(T), n, x_step, false));
  if (y != nullptr) touches.push_back(touched_vector(y, sizeof(T), n, y_step, false));
  return queue_streaming(*h, title<T>(operation, a), flops_of(a), std::move(touches), [=] {
    const bool hermitian = structure == Structure::kHermitian;
    const auto turned = [&](Wide<T> v) { return hermitian ? conjugate(v) : v; };
    const auto factor = Wide<T>(scalar_as<A>(scale));
    const StridedVector<T> left(x, n, x_step), right(y != nullptr ? y : x, n, y != nullptr ? y_step : x_step);
    for (int64_t j = 0; j < n; ++j) {
      const auto [first, end] = a.kept_rows(j);
      for (int64_t i = first; i < end; ++i) {
        T& element = static_cast<T*>(data)[a.place(i, j)];
        Wide<T> sum = Wide<T>(element) + factor * Wide<T>(left[i]) * turned(Wide<T>(right[j]));
        if (y != nullptr) sum += turned(factor) * Wide<T>(right[i]) * turned(Wide<T>(left[j]));
        element = T(hermitian && i == j ? Wide<T>(std::real(sum)) : sum);
      }
    }
    return Status();
  });
}

constexpr Layout kFull = Layout::kFull, kBand = Layout::kBand, kPacked = Layout::kPacked;

}  // namespace

#define GENERAL_BAND(L, T, I, wide)                                                                                  \
  CUDA_API int cublas##L##gbmv_v2##wide(BlasHandle* h, int op, I m, I n, I below, I above, const void* alpha,        \
                                        const void* a, I lda, const void* x, I x_step, const void* beta, void* y,    \
                                        I y_step) {                                                                  \
    return multiply_by_vector<T>(h, "gbmv", Stored::band(m, n, below, above, lda), op, alpha, a, x, x_step, beta, y, \
                                 y_step);                                                                            \
  }
// A symmetric matrix, or a Hermitian one, and a vector: `full`, `band` and `packed` are the names of the three layouts.
#define MIRRORED(full, band, packed, T, structure, I, wide)                                                           \
  FULL_MIRRORED(full, T, structure, I, wide)                                                                          \
  CUDA_API int cublas##band##_v2##wide(BlasHandle* h, int fill, I n, I k, const void* alpha, const void* a, I lda,    \
                                       const void* x, I x_step, const void* beta, void* y, I y_step) {                \
    if (!is_fill(fill)) return h == nullptr ? kBlasNotInitialized : kBlasInvalidValue;                                \
    return multiply_by_vector<T>(h, #band + 1, Stored::triangle(structure, kBand, fill, n, lda, k), 0, alpha, a, x,   \
                                 x_step, beta, y, y_step);                                                            \
  }                                                                                                                   \
  CUDA_API int cublas##packed##_v2##wide(BlasHandle* h, int fill, I n, const void* alpha, const void* a,              \
                                         const void* x, I x_step, const void* beta, void* y, I y_step) {              \
    if (!is_fill(fill)) return h == nullptr ? kBlasNotInitialized : kBlasInvalidValue;                                \
    return multiply_by_vector<T>(h, #packed + 1, Stored::triangle(structure, kPacked, fill, n, 0, 0), 0, alpha, a, x, \
                                 x_step, beta, y, y_step);                                                            \
  }
#define FULL_MIRRORED(full, T, structure, I, wide)                                                                  \
  CUDA_API int cublas##full##_v2##wide(BlasHandle* h, int fill, I n, const void* alpha, const void* a, I lda,       \
                                       const void* x, I x_step, const void* beta, void* y, I y_step) {              \
    if (!is_fill(fill)) return h == nullptr ? kBlasNotInitialized : kBlasInvalidValue;                              \
    return multiply_by_vector<T>(h, #full + 1, Stored::triangle(structure, kFull, fill, n, lda, 0), 0, alpha, a, x, \
                                 x_step, beta, y, y_step);                                                          \
  }
#define TRIANGLES(L, T, ends, solves, I, wide)                                                                        \
  CUDA_API int cublas##L##tr##ends##_v2##wide(BlasHandle* h, int fill, int op, int diagonal, I n, const void* a,      \
                                              I lda, void* x, I step) {                                               \
    return triangle_and_vector<T, solves>(h, "tr" #ends, kFull, fill, op, diagonal, n, 0, a, lda, x, step);           \
  }                                                                                                                   \
  CUDA_API int cublas##L##tb##ends##_v2##wide(BlasHandle* h, int fill, int op, int diagonal, I n, I k, const void* a, \
                                              I lda, void* x, I step) {                                               \
    return triangle_and_vector<T, solves>(h, "tb" #ends, kBand, fill, op, diagonal, n, k, a, lda, x, step);           \
  }                                                                                                                   \
  CUDA_API int cublas##L##tp##ends##_v2##wide(BlasHandle* h, int fill, int op, int diagonal, I n, const void* a,      \
                                              void* x, I step) {                                                      \
    return triangle_and_vector<T, solves>(h, "tp" #ends, kPacked, fill, op, diagonal, n, 0, a, 0, x, step);           \
  }
#define FULL_UPDATES(one, two, T, A, structure, I, wide)                                                        \
  CUDA_API int cublas##one##_v2##wide(BlasHandle* h, int fill, I n, const void* alpha, const void* x, I x_step, \
                                      void* a, I lda) {                                                         \
    return update<T, A>(h, #one + 1, structure, kFull, fill, n, alpha, x, x_step, nullptr, 0, a, lda);          \
  }                                                                                                             \
  CUDA_API int cublas##two##_v2##wide(BlasHandle* h, int fill, I n, const void* alpha, const void* x, I x_step, \
                                      const void* y, I y_step, void* a, I lda) {                                \
    return update<T>(h, #two + 1, structure, kFull, fill, n, alpha, x, x_step, y, y_step, a, lda);              \
  }
#define PACKED_UPDATES(one, two, T, A, structure, I, wide)                                                      \
  CUDA_API int cublas##one##_v2##wide(BlasHandle* h, int fill, I n, const void* alpha, const void* x, I x_step, \
                                      void* a) {                                                                \
    return update<T, A>(h, #one + 1, structure, kPacked, fill, n, alpha, x, x_step, nullptr, 0, a, 0);          \
  }                                                                                                             \
  CUDA_API int cublas##two##_v2##wide(BlasHandle* h, int fill, I n, const void* alpha, const void* x, I x_step, \
                                      const void* y, I y_step, void* a) {                                       \
    return update<T>(h, #two + 1, structure, kPacked, fill, n, alpha, x, x_step, y, y_step, a, 0);              \
  }
#define REAL(L, T, I, wide)                                              \
  MIRRORED(L##symv, L##sbmv, L##spmv, T, Structure::kSymmetric, I, wide) \
  FULL_UPDATES(L##syr, L##syr2, T, T, Structure::kSymmetric, I, wide)    \
  PACKED_UPDATES(L##spr, L##spr2, T, T, Structure::kSymmetric, I, wide)
#define COMPLEX(L, T, R, I, wide)                                        \
  FULL_MIRRORED(L##symv, T, Structure::kSymmetric, I, wide)              \
  MIRRORED(L##hemv, L##hbmv, L##hpmv, T, Structure::kHermitian, I, wide) \
  FULL_UPDATES(L##syr, L##syr2, T, T, Structure::kSymmetric, I, wide)    \
  FULL_UPDATES(L##her, L##her2, T, R, Structure::kHermitian, I, wide)    \
  PACKED_UPDATES(L##hpr, L##hpr2, T, R, Structure::kHermitian, I, wide)
#define EACH(L, T, I, wide)           \
  GENERAL_BAND(L, T, I, wide)         \
  TRIANGLES(L, T, mv, false, I, wide) \
  TRIANGLES(L, T, sv, true, I, wide)
#define OF_SIZE(I, wide)          \
  EACH(S, float, I, wide)         \
  EACH(D, double, I, wide)        \
  EACH(C, C32, I, wide)           \
  EACH(Z, C64, I, wide)           \
  REAL(S, float, I, wide)         \
  REAL(D, double, I, wide)        \
  COMPLEX(C, C32, float, I, wide) \
  COMPLEX(Z, C64, double, I, wide)
OF_SIZE(int, )
OF_SIZE(int64_t, _64)
#undef OF_SIZE
#undef EACH
#undef COMPLEX
#undef REAL
#undef PACKED_UPDATES
#undef FULL_UPDATES
#undef TRIANGLES
#undef FULL_MIRRORED
#undef MIRRORED
#undef GENERAL_BAND
