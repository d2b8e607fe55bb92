// cuSOLVER: LU, Cholesky, QR and Bunch-Kaufman factors, and what solves with them.
#include "warplens/libraries/cusolver/factors.h"

using namespace warplens;
using namespace warplens::libraries;

namespace {

using C32 = std::complex<float>;
using C64 = std::complex<double>;

template <typename T>
constexpr bool kComplex = !std::is_floating_point_v<T>;

/// Q of a QR factorisation, in place of its reflectors.
template <typename T>
int orgqr(SolverHandle* h, int m, int n, int k, T* a, int lda, const T* tau, int* info) {
  return queue_solver(
      h, fits({m, n, k, lda}) && n <= m && k <= n && info != nullptr,
      {.operation = kComplex<T> ? "ungqr" : "orgqr",
       .number = kNumberOf<T>,
       .sizes = {m, n},
       .flops = 4.0 * m * n * k,
       .touches = [=] { return std::vector{matrix(a, m, n, lda, true), matrix(tau, k, 1, k, false)}; },
       .run = [=] { return lapack_with_work<T>(kComplex<T> ? "ungqr" : "orgqr", info, m, n, k, a, lda, tau); }});
}

template <typename T>
int ormqr(SolverHandle* h, int side, int op, int m, int n, int k, const T* a, int lda, const T* tau, T* c, int ldc,
          int* info) {
  const int rows = side == 0 ? m : n;
  const bool valid = fits({m, n, k, lda, ldc}) && side_letter(side) != 0 && operation_letter(op) != 0 && k <= rows;
  return queue_solver(
      h, valid && info != nullptr,
      {.operation = kComplex<T> ? "unmqr" : "ormqr",
       .number = kNumberOf<T>,
       .sizes = {m, n, k},
       .flops = 4.0 * m * n * k,
       .touches = [=] { return std::vector{matrix(a, rows, k, lda, false), matrix(c, m, n, ldc, true)}; },
       .run =
           [=] {
             return lapack_with_work<T>(kComplex<T> ? "unmqr" : "ormqr", info, side_letter(side), operation_letter(op),
                                        m, n, k, a, lda, tau, c, ldc);
           }});
}

template <typename T>
int sytrf(SolverHandle* h, int fill, int n, T* a, int lda, int* pivots, int* info) {
  return queue_solver(
      h, fits({n, lda}) && fill_letter(fill) != 0 && pivots != nullptr && info != nullptr,
      {.operation = "sytrf",
       .number = kNumberOf<T>,
       .sizes = {n, n},
       .flops = 1.0 * n * n * n / 3,
       .touches = [=] { return std::vector{matrix(a, n, n, lda, true), matrix(pivots, n, 1, n, true)}; },
       .run = [=] { return lapack_with_work<T>("sytrf", info, fill_letter(fill), n, a, lda, pivots); }});
}

/// Arrays of pointers lie in device memory.
template <typename T>
std::vector<TouchedMemory> each(T* const* matrices, int count, int rows, int columns, int leading, bool written) {
  std::vector<TouchedMemory> out;
  for (int i = 0; i < count; ++i) out.push_back(matrix(matrices[i], rows, columns, leading, written));
  return out;
}

template <typename T>
int potrf_batched(SolverHandle* h, int fill, int n, T* const* a, int lda, int* infos, int count) {
  return queue_solver(h, fits({n, lda, count}) && fill_letter(fill) != 0 && infos != nullptr,
                      {.operation = "potrf",
                       .number = kNumberOf<T>,
                       .sizes = {n, n},
                       .batches = count,
                       .flops = 1.0 * count * n * n * n / 3,
                       .touches = [=] { return each(a, count, n, n, lda, true); },
                       .run = [=]() -> Status {
                         for (int i = 0; i < count; ++i)
                           WL_TRY(lapack<T>("potrf", fill_letter(fill), n, a[i], lda, infos + i));
                         return {};
                       }});
}

template <typename T>
int potrs_batched(SolverHandle* h, int fill, int n, int columns, T* const* a, int lda, T* const* b, int ldb, int* info,
                  int count) {
  return queue_solver(h, fits({n, columns, lda, ldb, count}) && fill_letter(fill) != 0 && info != nullptr,
                      {.operation = "potrs",
                       .number = kNumberOf<T>,
                       .sizes = {n, columns},
                       .batches = count,
                       .flops = 2.0 * count * n * n * columns,
                       .touches = [=] { return each(b, count, n, columns, ldb, true); },
                       .run = [=]() -> Status {
                         for (int i = 0; i < count; ++i) {
                           const T* const factor = a[i];
                           WL_TRY(lapack<T>("potrs", fill_letter(fill), n, columns, factor, lda, b[i], ldb, info));
                         }
                         return {};
                       }});
}

}  // namespace

#define FACTORS(L, T, Q)                                                                                               \
  CUDA_API int cusolverDn##L##getrf_bufferSize(SolverHandle* h, int, int, T*, int, int* size) {                        \
    return Solver::answer_workspace(h, size);                                                                          \
  }                                                                                                                    \
  CUDA_API int cusolverDn##L##getrf(SolverHandle* h, int m, int n, T* a, int lda, T*, int* pivots, int* info) {        \
    return getrf<T>(h, m, n, a, lda, pivots, info);                                                                    \
  }                                                                                                                    \
  CUDA_API int cusolverDn##L##getrs(SolverHandle* h, int op, int n, int columns, const T* a, int lda,                  \
                                    const int* pivots, T* b, int ldb, int* info) {                                     \
    return getrs<T>(h, op, n, columns, a, lda, pivots, b, ldb, info);                                                  \
  }                                                                                                                    \
  CUDA_API int cusolverDn##L##potrf_bufferSize(SolverHandle* h, int, int, T*, int, int* size) {                        \
    return Solver::answer_workspace(h, size);                                                                          \
  }                                                                                                                    \
  CUDA_API int cusolverDn##L##potrf(SolverHandle* h, int fill, int n, T* a, int lda, T*, int, int* info) {             \
    return potrf<T>(h, fill, n, a, lda, info);                                                                         \
  }                                                                                                                    \
  CUDA_API int cusolverDn##L##potrs(SolverHandle* h, int fill, int n, int columns, const T* a, int lda, T* b, int ldb, \
                                    int* info) {                                                                       \
    return potrs<T>(h, fill, n, columns, a, lda, b, ldb, info);                                                        \
  }                                                                                                                    \
  CUDA_API int cusolverDn##L##potrfBatched(SolverHandle* h, int fill, int n, T** a, int lda, int* infos, int count) {  \
    return potrf_batched<T>(h, fill, n, a, lda, infos, count);                                                         \
  }                                                                                                                    \
  CUDA_API int cusolverDn##L##potrsBatched(SolverHandle* h, int fill, int n, int columns, T** a, int lda, T** b,       \
                                           int ldb, int* info, int count) {                                            \
    return potrs_batched<T>(h, fill, n, columns, a, lda, b, ldb, info, count);                                         \
  }                                                                                                                    \
  CUDA_API int cusolverDn##L##geqrf_bufferSize(SolverHandle* h, int, int, T*, int, int* size) {                        \
    return Solver::answer_workspace(h, size);                                                                          \
  }                                                                                                                    \
  CUDA_API int cusolverDn##L##geqrf(SolverHandle* h, int m, int n, T* a, int lda, T* tau, T*, int, int* info) {        \
    return geqrf<T>(h, m, n, a, lda, tau, info);                                                                       \
  }                                                                                                                    \
  CUDA_API int cusolverDn##L##Q##gqr_bufferSize(SolverHandle* h, int, int, int, const T*, int, const T*, int* size) {  \
    return Solver::answer_workspace(h, size);                                                                          \
  }                                                                                                                    \
  CUDA_API int cusolverDn##L##Q##gqr(SolverHandle* h, int m, int n, int k, T* a, int lda, const T* tau, T*, int,       \
                                     int* info) {                                                                      \
    return orgqr<T>(h, m, n, k, a, lda, tau, info);                                                                    \
  }                                                                                                                    \
  CUDA_API int cusolverDn##L##Q##mqr_bufferSize(SolverHandle* h, int, int, int, int, int, const T*, int, const T*,     \
                                                const T*, int, int* size) {                                            \
    return Solver::answer_workspace(h, size);                                                                          \
  }                                                                                                                    \
  CUDA_API int cusolverDn##L##Q##mqr(SolverHandle* h, int side, int op, int m, int n, int k, const T* a, int lda,      \
                                     const T* tau, T* c, int ldc, T*, int, int* info) {                                \
    return ormqr<T>(h, side, op, m, n, k, a, lda, tau, c, ldc, info);                                                  \
  }                                                                                                                    \
  CUDA_API int cusolverDn##L##sytrf_bufferSize(SolverHandle* h, int, T*, int, int* size) {                             \
    return Solver::answer_workspace(h, size);                                                                          \
  }                                                                                                                    \
  CUDA_API int cusolverDn##L##sytrf(SolverHandle* h, int fill, int n, T* a, int lda, int* pivots, T*, int,             \
                                    int* info) {                                                                       \
    return sytrf<T>(h, fill, n, a, lda, pivots, info);                                                                 \
  }
FACTORS(S, float, or)
FACTORS(D, double, or)
FACTORS(C, C32, un)
FACTORS(Z, C64, un)
#undef FACTORS
