// cuSOLVER: inverses, reductions to tridiagonal and bidiagonal form, and solvers that refine what a lower precision
// found.
#include "warplens/libraries/cusolver/generic.h"

using namespace warplens;
using namespace warplens::libraries;

namespace {

using C32 = std::complex<float>;
using C64 = std::complex<double>;

/// Work by LAPACK on one matrix, in place.
template <typename T, typename F>
int in_place(SolverHandle* h, bool valid, const char* operation, int64_t m, int64_t n, T* a, int64_t lda, int* info,
             F work) {
  const auto rows = static_cast<double>(m), columns = static_cast<double>(n);
  return queue_solver(h, valid && fits({m, n, lda}) && lda >= std::max<int64_t>(m, 1) && info != nullptr,
                      {.operation = operation,
                       .number = kNumberOf<T>,
                       .sizes = {m, n},
                       .flops = 4 * rows * columns * std::min(rows, columns) / 3,
                       .touches = [=] { return std::vector{matrix(a, m, n, lda, true)}; },
                       .run = work});
}

template <typename T>
int potri(SolverHandle* h, int fill, int n, T* a, int lda, int* info) {
  return in_place<T>(h, fill_letter(fill) != 0, "potri", n, n, a, lda, info,
                     [=] { return lapack<T>("potri", fill_letter(fill), n, a, lda, info); });
}
template <typename T>
int trtri(SolverHandle* h, int fill, int diagonal, int64_t n, T* a, int64_t lda, int* info) {
  const bool valid = fill_letter(fill) != 0 && (diagonal == 0 || diagonal == 1);
  return in_place<T>(h, valid, "trtri", n, n, a, lda, info, [=] {
    return lapack<T>("trtri", fill_letter(fill), "NU"[diagonal], static_cast<int>(n), a, static_cast<int>(lda), info);
  });
}
template <typename T>
int sytrd(SolverHandle* h, int fill, int n, T* a, int lda, RealOf<T>* d, RealOf<T>* e, T* tau, int* info) {
  constexpr const char* kName = kIsComplexNumber<T> ? "hetrd" : "sytrd";
  return in_place<T>(h, fill_letter(fill) != 0, kName, n, n, a, lda, info,
                     [=] { return lapack_with_work<T>(kName, info, fill_letter(fill), n, a, lda, d, e, tau); });
}
template <typename T>
int orgtr(SolverHandle* h, int fill, int n, T* a, int lda, const T* tau, int* info) {
  constexpr const char* kName = kIsComplexNumber<T> ? "ungtr" : "orgtr";
  return in_place<T>(h, fill_letter(fill) != 0, kName, n, n, a, lda, info,
                     [=] { return lapack_with_work<T>(kName, info, fill_letter(fill), n, a, lda, tau); });
}
template <typename T>
int ormtr(SolverHandle* h, int side, int fill, int op, int m, int n, T* a, int lda, T* tau, T* c, int ldc, int* info) {
  constexpr const char* kName = kIsComplexNumber<T> ? "unmtr" : "ormtr";
  const bool valid = side_letter(side) != 0 && fill_letter(fill) != 0 && operation_letter(op) != 0;
  return in_place<T>(h, valid, kName, m, n, c, ldc, info, [=] {
    return lapack_with_work<T>(kName, info, side_letter(side), fill_letter(fill), operation_letter(op), m, n, a, lda,
                               tau, c, ldc);
  });
}
template <typename T>
int gebrd(SolverHandle* h, int m, int n, T* a, int lda, RealOf<T>* d, RealOf<T>* e, T* tau_q, T* tau_p, int* info) {
  return in_place<T>(h, m >= n, "gebrd", m, n, a, lda, info,
                     [=] { return lapack_with_work<T>("gebrd", info, m, n, a, lda, d, e, tau_q, tau_p); });
}
/// Q for side 0, P^H for side 1.
template <typename T>
int orgbr(SolverHandle* h, int side, int m, int n, int k, T* a, int lda, const T* tau, int* info) {
  constexpr const char* kName = kIsComplexNumber<T> ? "ungbr" : "orgbr";
  return in_place<T>(h, side_letter(side) != 0, kName, m, n, a, lda, info,
                     [=] { return lapack_with_work<T>(kName, info, side == 0 ? 'Q' : 'P', m, n, k, a, lda, tau); });
}

template <typename T>
std::vector<T> copied(const T* from, int64_t rows, int64_t columns, int64_t leading) {
  std::vector<T> out(static_cast<size_t>(rows * columns));
  for (int64_t j = 0; j < columns; ++j) std::copy_n(from + j * leading, rows, out.data() + j * rows);
  return out;
}

/// The whole work is done in the main precision, so nothing is left to refine.
template <typename T>
int refined_gesv(SolverHandle* h, int n, int columns, T* a, int lda, int* pivots, const T* b, int ldb, T* x, int ldx,
                 int* iterations, int* info) {
  const double size = n;
  if (iterations != nullptr) *iterations = 0;
  return queue_solver(h, fits({n, columns, lda, ldb, ldx}) && iterations != nullptr && info != nullptr,
                      {.operation = "gesv",
                       .number = kNumberOf<T>,
                       .sizes = {n, columns},
                       .flops = 2 * size * size * (size / 3 + columns),
                       .touches =
                           [=] {
                             return std::vector{matrix(a, n, n, lda, false), matrix(b, n, columns, ldb, false),
                                                matrix(x, n, columns, ldx, true)};
                           },
                       .run = [=]() -> Status {
                         std::vector<T> factors = copied(a, n, n, lda);
                         std::vector<int> own(static_cast<size_t>(n));
                         WL_TRY(lapack<T>("getrf", n, n, factors.data(), n, own.data(), info));
                         if (pivots != nullptr) std::ranges::copy(own, pivots);
                         if (*info != 0) return {};
                         for (int64_t j = 0; j < columns; ++j) std::copy_n(b + j * ldb, n, x + j * ldx);
                         return lapack<T>("getrs", 'N', n, columns, static_cast<const T*>(factors.data()), n,
                                          static_cast<const int*>(own.data()), x, ldx, info);
                       }});
}
template <typename T>
int refined_gels(SolverHandle* h, int m, int n, int columns, const T* a, int lda, const T* b, int ldb, T* x, int ldx,
                 int* iterations, int* info) {
  const double rows = m, size = n;
  if (iterations != nullptr) *iterations = 0;
  return queue_solver(
      h, fits({m, n, columns, lda, ldb, ldx}) && m >= n && iterations != nullptr && info != nullptr,
      {.operation = "gels",
       .number = kNumberOf<T>,
       .sizes = {m, n, columns},
       .flops = 2 * rows * size * (size + columns),
       .touches =
           [=] {
             return std::vector{matrix(a, m, n, lda, false), matrix(b, m, columns, ldb, false),
                                matrix(x, n, columns, ldx, true)};
           },
       .run = [=]() -> Status {
         std::vector<T> factors = copied(a, m, n, lda), sides = copied(b, m, columns, ldb);
         WL_TRY(lapack_with_work<T>("gels", info, 'N', m, n, columns, factors.data(), m, sides.data(), m));
         for (int64_t j = 0; j < columns; ++j) std::copy_n(sides.data() + j * m, n, x + j * ldx);
         return {};
       }});
}

}  // namespace

#define REDUCTIONS(L, T, Sy, Or)                                                                                       \
  CUDA_API int cusolverDn##L##potri_bufferSize(SolverHandle* h, int, int, T*, int, int* size) {                        \
    return Solver::answer_workspace(h, size);                                                                          \
  }                                                                                                                    \
  CUDA_API int cusolverDn##L##potri(SolverHandle* h, int fill, int n, T* a, int lda, T*, int, int* info) {             \
    return potri<T>(h, fill, n, a, lda, info);                                                                         \
  }                                                                                                                    \
  CUDA_API int cusolverDn##L##Sy##trd_bufferSize(SolverHandle* h, int, int, const T*, int, const RealOf<T>*,           \
                                                 const RealOf<T>*, const T*, int* size) {                              \
    return Solver::answer_workspace(h, size);                                                                          \
  }                                                                                                                    \
  CUDA_API int cusolverDn##L##Sy##trd(SolverHandle* h, int fill, int n, T* a, int lda, RealOf<T>* d, RealOf<T>* e,     \
                                      T* tau, T*, int, int* info) {                                                    \
    return sytrd<T>(h, fill, n, a, lda, d, e, tau, info);                                                              \
  }                                                                                                                    \
  CUDA_API int cusolverDn##L##Or##gtr_bufferSize(SolverHandle* h, int, int, const T*, int, const T*, int* size) {      \
    return Solver::answer_workspace(h, size);                                                                          \
  }                                                                                                                    \
  CUDA_API int cusolverDn##L##Or##gtr(SolverHandle* h, int fill, int n, T* a, int lda, const T* tau, T*, int,          \
                                      int* info) {                                                                     \
    return orgtr<T>(h, fill, n, a, lda, tau, info);                                                                    \
  }                                                                                                                    \
  CUDA_API int cusolverDn##L##Or##mtr_bufferSize(SolverHandle* h, int, int, int, int, int, const T*, int, const T*,    \
                                                 const T*, int, int* size) {                                           \
    return Solver::answer_workspace(h, size);                                                                          \
  }                                                                                                                    \
  CUDA_API int cusolverDn##L##Or##mtr(SolverHandle* h, int side, int fill, int op, int m, int n, T* a, int lda,        \
                                      T* tau, T* c, int ldc, T*, int, int* info) {                                     \
    return ormtr<T>(h, side, fill, op, m, n, a, lda, tau, c, ldc, info);                                               \
  }                                                                                                                    \
  CUDA_API int cusolverDn##L##gebrd_bufferSize(SolverHandle* h, int, int, int* size) {                                 \
    return Solver::answer_workspace(h, size);                                                                          \
  }                                                                                                                    \
  CUDA_API int cusolverDn##L##gebrd(SolverHandle* h, int m, int n, T* a, int lda, RealOf<T>* d, RealOf<T>* e,          \
                                    T* tau_q, T* tau_p, T*, int, int* info) {                                          \
    return gebrd<T>(h, m, n, a, lda, d, e, tau_q, tau_p, info);                                                        \
  }                                                                                                                    \
  CUDA_API int cusolverDn##L##Or##gbr_bufferSize(SolverHandle* h, int, int, int, int, const T*, int, const T*,         \
                                                 int* size) {                                                          \
    return Solver::answer_workspace(h, size);                                                                          \
  }                                                                                                                    \
  CUDA_API int cusolverDn##L##Or##gbr(SolverHandle* h, int side, int m, int n, int k, T* a, int lda, const T* tau, T*, \
                                      int, int* info) {                                                                \
    return orgbr<T>(h, side, m, n, k, a, lda, tau, info);                                                              \
  }
REDUCTIONS(S, float, sy, or)
REDUCTIONS(D, double, sy, or)
REDUCTIONS(C, C32, he, un)
REDUCTIONS(Z, C64, he, un)
#undef REDUCTIONS

// The second letter: the lowest precision that the GPU would use.
#define REFINED(pair, T)                                                                                              \
  CUDA_API int cusolverDn##pair##gesv_bufferSize(SolverHandle* h, int, int, T*, int, int*, T*, int, T*, int, void*,   \
                                                 size_t* bytes) {                                                     \
    return Solver::answer_workspace(h, bytes);                                                                        \
  }                                                                                                                   \
  CUDA_API int cusolverDn##pair##gesv(SolverHandle* h, int n, int columns, T* a, int lda, int* pivots, T* b, int ldb, \
                                      T* x, int ldx, void*, size_t, int* iterations, int* info) {                     \
    return refined_gesv<T>(h, n, columns, a, lda, pivots, b, ldb, x, ldx, iterations, info);                          \
  }                                                                                                                   \
  CUDA_API int cusolverDn##pair##gels_bufferSize(SolverHandle* h, int, int, int, T*, int, T*, int, T*, int, void*,    \
                                                 size_t* bytes) {                                                     \
    return Solver::answer_workspace(h, bytes);                                                                        \
  }                                                                                                                   \
  CUDA_API int cusolverDn##pair##gels(SolverHandle* h, int m, int n, int columns, T* a, int lda, T* b, int ldb, T* x, \
                                      int ldx, void*, size_t, int* iterations, int* info) {                           \
    return refined_gels<T>(h, m, n, columns, a, lda, b, ldb, x, ldx, iterations, info);                               \
  }
#define REFINED_OF(L, T, own, half, bf16, tf32) \
  REFINED(L##own, T) REFINED(L##half, T) REFINED(L##bf16, T) REFINED(L##tf32, T)
REFINED_OF(S, float, S, H, B, X)
REFINED_OF(D, double, D, H, B, X)
REFINED(DS, double)
REFINED_OF(C, C32, C, K, E, Y)
REFINED_OF(Z, C64, Z, K, E, Y)
REFINED(ZC, C64)
#undef REFINED_OF
#undef REFINED

CUDA_API int cusolverDnXtrtri_bufferSize(SolverHandle* h, int, int, int64_t, int, void*, int64_t, size_t* device_bytes,
                                         size_t* host_bytes) {
  return answer_works(h, device_bytes, host_bytes);
}
CUDA_API int cusolverDnXtrtri(SolverHandle* h, int fill, int diagonal, int64_t n, int type, void* a, int64_t lda, void*,
                              size_t, void*, size_t, int* info) {
  return with_type(h, type,
                   [&]<typename T>(T) { return trtri<T>(h, fill, diagonal, n, static_cast<T*>(a), lda, info); });
}
CUDA_API int cusolverDnXgetrf_bufferSize(SolverHandle* h, const void*, int64_t, int64_t, int, const void*, int64_t, int,
                                         size_t* device_bytes, size_t* host_bytes) {
  return answer_works(h, device_bytes, host_bytes);
}
/// Its pivots have 64 bits.
CUDA_API int cusolverDnXgetrf(SolverHandle* h, const void*, int64_t m, int64_t n, int type, void* a, int64_t lda,
                              int64_t* pivots, int, void*, size_t, void*, size_t, int* info) {
  return with_type(h, type, [&]<typename T>(T) {
    auto* const factors = static_cast<T*>(a);
    return in_place<T>(h, true, "getrf", m, n, factors, lda, info, [=]() -> Status {
      if (pivots == nullptr) return *info = factor_in_place(m, n, factors, lda), Status();
      std::vector<int> own(static_cast<size_t>(std::min(m, n)));
      WL_TRY(lapack<T>("getrf", static_cast<int>(m), static_cast<int>(n), factors, static_cast<int>(lda), own.data(),
                       info));
      return std::ranges::copy(own, pivots), Status();
    });
  });
}
CUDA_API int cusolverDnXgetrs(SolverHandle* h, const void*, int op, int64_t n, int64_t columns, int type, const void* a,
                              int64_t lda, const int64_t* pivots, int, void* b, int64_t ldb, int* info) {
  return with_type(h, type, [&]<typename T>(T) {
    const auto* const factors = static_cast<const T*>(a);
    auto* const sides = static_cast<T*>(b);
    const bool valid = operation_letter(op) != 0 && fits({columns, lda}) && lda >= std::max<int64_t>(n, 1);
    return in_place<T>(h, valid, "getrs", n, columns, sides, ldb, info, [=] {
      std::vector<int> own(static_cast<size_t>(n));
      std::iota(own.begin(), own.end(), 1);
      if (pivots != nullptr)
        std::transform(pivots, pivots + n, own.begin(), [](int64_t p) { return static_cast<int>(p); });
      return lapack<T>("getrs", operation_letter(op), static_cast<int>(n), static_cast<int>(columns), factors,
                       static_cast<int>(lda), static_cast<const int*>(own.data()), sides, static_cast<int>(ldb), info);
    });
  });
}
