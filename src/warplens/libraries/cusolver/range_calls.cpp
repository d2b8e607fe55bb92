// cuSOLVER: eigenvalues in a range, and those of pencils, also by its Jacobi functions.
#include "warplens/libraries/cusolver/eigen_range.h"
#include "warplens/libraries/cusolver/generic.h"

using namespace warplens;
using namespace warplens::libraries;

namespace {

using C32 = std::complex<float>;
using C64 = std::complex<double>;

EigenRange range_of(int kind, double above, double most, int64_t first, int64_t last) {
  return {static_cast<EigenRange::Kind>(kind), above, most, first, last};
}
/// Writes the number of eigenvalues to the host.
template <typename I>
std::function<void(int64_t)> count_to(I* count) {
  return [=](int64_t kept) {
    if (count != nullptr) *count = static_cast<I>(kept);
  };
}
const std::function<void(int64_t)> kUncounted;

}  // namespace

#define RANGES(L, T, Sy)                                                                                               \
  CUDA_API int cusolverDn##L##Sy##evdx_bufferSize(SolverHandle* h, int, int, int, int, const T*, int, RealOf<T>,       \
                                                  RealOf<T>, int, int, int*, const RealOf<T>*, int* size) {            \
    return Solver::answer_workspace(h, size);                                                                          \
  }                                                                                                                    \
  CUDA_API int cusolverDn##L##Sy##evdx(SolverHandle* h, int mode, int range, int fill, int n, T* a, int lda,           \
                                       RealOf<T> above, RealOf<T> most, int first, int last, int* count, RealOf<T>* w, \
                                       T*, int, int* info) {                                                           \
    return eigen_in_range<T>(h, {1, mode, fill, n, a, lda, nullptr, 0, w, range_of(range, above, most, first, last),   \
                                 count_to(count), info});                                                              \
  }                                                                                                                    \
  CUDA_API int cusolverDn##L##Sy##gvd_bufferSize(SolverHandle* h, int, int, int, int, const T*, int, const T*, int,    \
                                                 const RealOf<T>*, int* size) {                                        \
    return Solver::answer_workspace(h, size);                                                                          \
  }                                                                                                                    \
  CUDA_API int cusolverDn##L##Sy##gvd(SolverHandle* h, int type, int mode, int fill, int n, T* a, int lda, T* b,       \
                                      int ldb, RealOf<T>* w, T*, int, int* info) {                                     \
    if (b == nullptr) return h == nullptr ? kSolverNotInitialized : kSolverInvalidValue;                               \
    return eigen_in_range<T>(h, {type, mode, fill, n, a, lda, b, ldb, w, {}, kUncounted, info});                       \
  }                                                                                                                    \
  CUDA_API int cusolverDn##L##Sy##gvdx_bufferSize(SolverHandle* h, int, int, int, int, int, const T*, int, const T*,   \
                                                  int, RealOf<T>, RealOf<T>, int, int, int*, const RealOf<T>*,         \
                                                  int* size) {                                                         \
    return Solver::answer_workspace(h, size);                                                                          \
  }                                                                                                                    \
  CUDA_API int cusolverDn##L##Sy##gvdx(SolverHandle* h, int type, int mode, int range, int fill, int n, T* a, int lda, \
                                       T* b, int ldb, RealOf<T> above, RealOf<T> most, int first, int last,            \
                                       int* count, RealOf<T>* w, T*, int, int* info) {                                 \
    if (b == nullptr) return h == nullptr ? kSolverNotInitialized : kSolverInvalidValue;                               \
    return eigen_in_range<T>(h, {type, mode, fill, n, a, lda, b, ldb, w, range_of(range, above, most, first, last),    \
                                 count_to(count), info});                                                              \
  }                                                                                                                    \
  CUDA_API int cusolverDn##L##Sy##gvj_bufferSize(SolverHandle* h, int, int, int, int, const T*, int, const T*, int,    \
                                                 const RealOf<T>*, int* size, const void*) {                           \
    return Solver::answer_workspace(h, size);                                                                          \
  }                                                                                                                    \
  CUDA_API int cusolverDn##L##Sy##gvj(SolverHandle* h, int type, int mode, int fill, int n, T* a, int lda, T* b,       \
                                      int ldb, RealOf<T>* w, T*, int, int* info, const void*) {                        \
    if (b == nullptr) return h == nullptr ? kSolverNotInitialized : kSolverInvalidValue;                               \
    return eigen_in_range<T>(h, {type, mode, fill, n, a, lda, b, ldb, w, {}, kUncounted, info});                       \
  }
RANGES(S, float, sy)
RANGES(D, double, sy)
RANGES(C, C32, he)
RANGES(Z, C64, he)
#undef RANGES

CUDA_API int cusolverDnXsyevdx_bufferSize(SolverHandle* h, const void*, int, int, int, int64_t, int, const void*,
                                          int64_t, void*, void*, int64_t, int64_t, int64_t*, int, const void*, int,
                                          size_t* device_bytes, size_t* host_bytes) {
  return answer_works(h, device_bytes, host_bytes);
}
CUDA_API int cusolverDnXsyevdx(SolverHandle* h, const void*, int mode, int range, int fill, int64_t n, int type,
                               void* a, int64_t lda, const void* above, const void* most, int64_t first, int64_t last,
                               int64_t* count, int, void* w, int, void*, size_t, void*, size_t, int* info) {
  return with_type(h, type, [&]<typename T>(T) {
    const auto bound = [](const void* value) {
      return value == nullptr ? 0 : static_cast<double>(*static_cast<const RealOf<T>*>(value));
    };
    const bool by_value = range == EigenRange::kByValue;
    return eigen_in_range<T>(h, {1, mode, fill, n, static_cast<T*>(a), lda, nullptr, 0, static_cast<RealOf<T>*>(w),
                                 range_of(range, by_value ? bound(above) : 0, by_value ? bound(most) : 0, first, last),
                                 count_to(count), info});
  });
}

CUDA_API int cusolverDnXgesvd_bufferSize(SolverHandle* h, const void*, signed char, signed char, int64_t, int64_t, int,
                                         const void*, int64_t, int, const void*, int, const void*, int64_t, int,
                                         const void*, int64_t, int, size_t* device_bytes, size_t* host_bytes) {
  return answer_works(h, device_bytes, host_bytes);
}
CUDA_API int cusolverDnXgesvd(SolverHandle* h, const void*, signed char job_u, signed char job_v, int64_t m, int64_t n,
                              int type, void* a, int64_t lda, int, void* s, int, void* u, int64_t ldu, int, void* vt,
                              int64_t ldvt, int, void*, size_t, void*, size_t, int* info) {
  if (!fits({m, n, lda, ldu, ldvt})) return h == nullptr ? kSolverNotInitialized : kSolverInvalidValue;
  return with_type(h, type, [&]<typename T>(T) {
    return gesvd_by_letters<T>(h, job_u, job_v, static_cast<int>(m), static_cast<int>(n), static_cast<T*>(a),
                               static_cast<int>(lda), static_cast<RealOf<T>*>(s), static_cast<T*>(u),
                               static_cast<int>(ldu), static_cast<T*>(vt), static_cast<int>(ldvt), info);
  });
}
CUDA_API int cusolverDnXgesvdp_bufferSize(SolverHandle* h, const void*, int, int, int64_t, int64_t, int, const void*,
                                          int64_t, int, const void*, int, const void*, int64_t, int, const void*,
                                          int64_t, int, size_t* device_bytes, size_t* host_bytes) {
  return answer_works(h, device_bytes, host_bytes);
}
/// By polar decomposition there; LAPACK's answer has no error that it could tell.
CUDA_API int cusolverDnXgesvdp(SolverHandle* h, const void*, int mode, int economy, int64_t m, int64_t n, int type,
                               void* a, int64_t lda, int, void* s, int, void* u, int64_t ldu, int, void* v, int64_t ldv,
                               int, void*, size_t, void*, size_t, int* info, double* error) {
  if (!fits({m, n, lda, ldu, ldv})) return h == nullptr ? kSolverNotInitialized : kSolverInvalidValue;
  if (error != nullptr) *error = 0;
  return with_type(h, type, [&]<typename T>(T) {
    return gesvd_jacobi<T>(h, mode, economy != 0, static_cast<int>(m), static_cast<int>(n), static_cast<const T*>(a),
                           static_cast<int>(lda), static_cast<RealOf<T>*>(s), static_cast<T*>(u), static_cast<int>(ldu),
                           static_cast<T*>(v), static_cast<int>(ldv), info, 1);
  });
}

// What Jacobi's iterations took: LAPACK's functions, which answer in place of them, have none.
#define ITERATIONS(kind)                                                                             \
  CUDA_API int cusolverDnX##kind##GetSweeps(SolverHandle* h, const void* info, int* sweeps) {        \
    if (h == nullptr) return kSolverNotInitialized;                                                  \
    if (info == nullptr || sweeps == nullptr) return kSolverInvalidValue;                            \
    *sweeps = 0;                                                                                     \
    return kSolverSuccess;                                                                           \
  }                                                                                                  \
  CUDA_API int cusolverDnX##kind##GetResidual(SolverHandle* h, const void* info, double* residual) { \
    if (h == nullptr) return kSolverNotInitialized;                                                  \
    if (info == nullptr || residual == nullptr) return kSolverInvalidValue;                          \
    *residual = 0;                                                                                   \
    return kSolverSuccess;                                                                           \
  }
ITERATIONS(syevj)
ITERATIONS(gesvdj)
#undef ITERATIONS
