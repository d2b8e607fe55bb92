// cuSOLVER: eigenvalues and singular values, by its QR, Jacobi and approximate functions: LAPACK's answer serves all.
#include "warplens/libraries/cusolver/spectra.h"

using namespace warplens;
using namespace warplens::libraries;

namespace {

using C32 = std::complex<float>;
using C64 = std::complex<double>;

/// || A - U S V^H || of each matrix, which the approximate function answers to the host.
template <typename T>
void residuals(const SingularValues<T>& x, const Strides<T>& strides, int count, double* out) {
  for (int64_t k = 0; out != nullptr && k < count; ++k) {
    double sum = 0;
    for (int64_t i = 0; i < x.m; ++i) {
      for (int64_t j = 0; j < x.n; ++j) {
        std::complex<double> value = x.a[k * strides.a + i + j * x.lda];
        for (int64_t r = 0; r < x.u_columns; ++r)
          value -= std::complex<double>(x.u[k * strides.u + i + r * x.ldu]) *
                   static_cast<double>(x.s[k * strides.s + r]) *
                   std::conj(std::complex<double>(x.v[k * strides.v + j + r * x.ldv]));
        sum += std::norm(value);
      }
    }
    out[k] = std::sqrt(sum);
  }
}

template <typename T>
int gesvd_approximate(SolverHandle* h, int mode, int rank, const SingularValues<T>& x, const Strides<T>& strides,
                      double* norms, int count) {
  if (h == nullptr) return kSolverNotInitialized;
  const bool whole = rank == std::min(x.m, x.n);  // fewer values than there are would have to be cut off
  if (const int status = gesvd<T>(h, vectors_letter(mode) != 0 && whole, x, strides, count); status != kSolverSuccess)
    return status;
  if (x.u == nullptr || norms == nullptr) return kSolverSuccess;
  const int error = queue(h->stream, {.name = "gesvda residuals",
                                      .time = streaming_time(0, 0, *device()),
                                      .touches = [] { return std::vector<TouchedMemory>(); },
                                      .run = [=] { return residuals(x, strides, count, norms), Status(); }});
  return error == 0 ? kSolverSuccess : kSolverExecutionFailed;
}

}  // namespace

#define SPECTRA(L, T, Sy)                                                                                             \
  CUDA_API int cusolverDn##L##Sy##evd_bufferSize(SolverHandle* h, int, int, int, const T*, int, const RealOf<T>*,     \
                                                 int* size) {                                                         \
    return Solver::answer_workspace(h, size);                                                                         \
  }                                                                                                                   \
  CUDA_API int cusolverDn##L##Sy##evd(SolverHandle* h, int mode, int fill, int n, T* a, int lda, RealOf<T>* w, T*,    \
                                      int, int* info) {                                                               \
    return syevd<T>(h, mode, fill, n, a, lda, w, info, 1);                                                            \
  }                                                                                                                   \
  CUDA_API int cusolverDn##L##Sy##evj_bufferSize(SolverHandle* h, int, int, int, const T*, int, const RealOf<T>*,     \
                                                 int* size, const void*) {                                            \
    return Solver::answer_workspace(h, size);                                                                         \
  }                                                                                                                   \
  CUDA_API int cusolverDn##L##Sy##evj(SolverHandle* h, int mode, int fill, int n, T* a, int lda, RealOf<T>* w, T*,    \
                                      int, int* info, const void*) {                                                  \
    return syevd<T>(h, mode, fill, n, a, lda, w, info, 1);                                                            \
  }                                                                                                                   \
  CUDA_API int cusolverDn##L##Sy##evjBatched_bufferSize(SolverHandle* h, int, int, int, const T*, int,                \
                                                        const RealOf<T>*, int* size, const void*, int) {              \
    return Solver::answer_workspace(h, size);                                                                         \
  }                                                                                                                   \
  CUDA_API int cusolverDn##L##Sy##evjBatched(SolverHandle* h, int mode, int fill, int n, T* a, int lda, RealOf<T>* w, \
                                             T*, int, int* info, const void*, int count) {                            \
    return syevd<T>(h, mode, fill, n, a, lda, w, info, count);                                                        \
  }                                                                                                                   \
  CUDA_API int cusolverDn##L##gesvd_bufferSize(SolverHandle* h, int, int, int* size) {                                \
    return Solver::answer_workspace(h, size);                                                                         \
  }                                                                                                                   \
  CUDA_API int cusolverDn##L##gesvd(SolverHandle* h, signed char job_u, signed char job_v, int m, int n, T* a,        \
                                    int lda, RealOf<T>* s, T* u, int ldu, T* vt, int ldvt, T*, int, RealOf<T>*,       \
                                    int* info) {                                                                      \
    return gesvd_by_letters<T>(h, job_u, job_v, m, n, a, lda, s, u, ldu, vt, ldvt, info);                             \
  }                                                                                                                   \
  CUDA_API int cusolverDn##L##gesvdj_bufferSize(SolverHandle* h, int, int, int, int, const T*, int, const RealOf<T>*, \
                                                const T*, int, const T*, int, int* size, const void*) {               \
    return Solver::answer_workspace(h, size);                                                                         \
  }                                                                                                                   \
  CUDA_API int cusolverDn##L##gesvdj(SolverHandle* h, int mode, int economy, int m, int n, T* a, int lda,             \
                                     RealOf<T>* s, T* u, int ldu, T* v, int ldv, T*, int, int* info, const void*) {   \
    return gesvd_jacobi<T>(h, mode, economy != 0, m, n, a, lda, s, u, ldu, v, ldv, info, 1);                          \
  }                                                                                                                   \
  CUDA_API int cusolverDn##L##gesvdjBatched_bufferSize(SolverHandle* h, int, int, int, const T*, int,                 \
                                                       const RealOf<T>*, const T*, int, const T*, int, int* size,     \
                                                       const void*, int) {                                            \
    return Solver::answer_workspace(h, size);                                                                         \
  }                                                                                                                   \
  CUDA_API int cusolverDn##L##gesvdjBatched(SolverHandle* h, int mode, int m, int n, T* a, int lda, RealOf<T>* s,     \
                                            T* u, int ldu, T* v, int ldv, T*, int, int* info, const void*,            \
                                            int count) {                                                              \
    return gesvd_jacobi<T>(h, mode, false, m, n, a, lda, s, u, ldu, v, ldv, info, count);                             \
  }                                                                                                                   \
  CUDA_API int cusolverDn##L##gesvdaStridedBatched_bufferSize(SolverHandle* h, int, int, int, int, const T*, int,     \
                                                              long long, const RealOf<T>*, long long, const T*, int,  \
                                                              long long, const T*, int, long long, int* size, int) {  \
    return Solver::answer_workspace(h, size);                                                                         \
  }                                                                                                                   \
  CUDA_API int cusolverDn##L##gesvdaStridedBatched(SolverHandle* h, int mode, int rank, int m, int n, const T* a,     \
                                                   int lda, long long step_a, RealOf<T>* s, long long step_s, T* u,   \
                                                   int ldu, long long step_u, T* v, int ldv, long long step_v, T*,    \
                                                   int, int* info, double* norms, int count) {                        \
    const bool wanted = mode == 1;                                                                                    \
    return gesvd_approximate<T>(                                                                                      \
        h, mode, rank, {m, n, a, lda, s, wanted ? u : nullptr, ldu, rank, wanted ? v : nullptr, ldv, rank, info},     \
        {step_a, step_s, step_u, step_v}, norms, count);                                                              \
  }
SPECTRA(S, float, sy)
SPECTRA(D, double, sy)
SPECTRA(C, C32, he)
SPECTRA(Z, C64, he)
#undef SPECTRA
