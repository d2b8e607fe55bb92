// cuSOLVER's functions with 64-bit sizes, which name the types of their matrices by number.
#include "warplens/libraries/cusolver/generic.h"

using namespace warplens;
using namespace warplens::libraries;

namespace {

template <typename T>
struct Eigenproblem {
  bool left, right;
  int n;
  T* a;
  int lda;
  void* w;
  bool complex_w;  // of a real matrix: pairs, else n real parts and n imaginary ones
  T *vl, *vr;
  int ldvl, ldvr;
  int* info;
};

template <typename T>
Status eigenvalues(const Eigenproblem<T>& x) {
  using Real = RealOf<T>;
  const char job_left = x.left ? 'V' : 'N', job_right = x.right ? 'V' : 'N';
  const auto n = static_cast<size_t>(x.n);
  if (n == 0) return *x.info = 0, Status();
  std::vector<Real> real(n), imaginary(n), reals(2 * n);
  const int ldvl = std::max(1, x.ldvl), ldvr = std::max(1, x.ldvr);
  const auto call = [&](T* work, int lwork) {
    if constexpr (kIsComplexNumber<T>)
      return lapack<T>("geev", job_left, job_right, x.n, x.a, x.lda, static_cast<T*>(x.w), x.vl, ldvl, x.vr, ldvr, work,
                       lwork, reals.data(), x.info);
    else
      return lapack<T>("geev", job_left, job_right, x.n, x.a, x.lda, real.data(), imaginary.data(), x.vl, ldvl, x.vr,
                       ldvr, work, lwork, x.info);
  };
  T needed = 0;
  WL_TRY(call(&needed, -1));
  std::vector<T> work(static_cast<size_t>(std::max(1, static_cast<int>(std::real(needed)))));
  WL_TRY(call(work.data(), static_cast<int>(work.size())));
  if constexpr (!kIsComplexNumber<T>) {
    auto* const w = static_cast<Real*>(x.w);
    for (size_t i = 0; i < n; ++i) {
      w[x.complex_w ? 2 * i : i] = real[i];
      w[x.complex_w ? 2 * i + 1 : n + i] = imaginary[i];
    }
  }
  return {};
}

template <typename T>
int geev(SolverHandle* h, bool valid, const Eigenproblem<T>& x) {
  const double n = x.n;
  return queue_solver(h, valid && x.info != nullptr,
                      {.operation = "geev",
                       .number = kNumberOf<T>,
                       .sizes = {x.n, x.n},
                       .flops = 25 * n * n * n,
                       .touches = [=] { return std::vector{matrix(x.a, x.n, x.n, x.lda, true)}; },
                       .run = [=] { return eigenvalues(x); }});
}

}  // namespace

CUDA_API int cusolverDnXgeqrf_bufferSize(SolverHandle* h, const void*, int64_t, int64_t, int, const void*, int64_t, int,
                                         const void*, int, size_t* device_bytes, size_t* host_bytes) {
  return answer_works(h, device_bytes, host_bytes);
}
CUDA_API int cusolverDnXgeqrf(SolverHandle* h, const void*, int64_t m, int64_t n, int type, void* a, int64_t lda, int,
                              void* tau, int, void*, size_t, void*, size_t, int* info) {
  return with_type(h, type,
                   [&]<typename T>(T) { return geqrf(h, m, n, static_cast<T*>(a), lda, static_cast<T*>(tau), info); });
}

CUDA_API int cusolverDnXpotrf_bufferSize(SolverHandle* h, const void*, int, int64_t, int, const void*, int64_t, int,
                                         size_t* device_bytes, size_t* host_bytes) {
  return answer_works(h, device_bytes, host_bytes);
}
CUDA_API int cusolverDnXpotrf(SolverHandle* h, const void*, int fill, int64_t n, int type, void* a, int64_t lda, int,
                              void*, size_t, void*, size_t, int* info) {
  return with_type(h, type, [&]<typename T>(T) { return potrf(h, fill, n, static_cast<T*>(a), lda, info); });
}
CUDA_API int cusolverDnXpotrs(SolverHandle* h, const void*, int fill, int64_t n, int64_t columns, int type,
                              const void* a, int64_t lda, int, void* b, int64_t ldb, int* info) {
  return with_type(h, type, [&]<typename T>(T) {
    return potrs(h, fill, n, columns, static_cast<const T*>(a), lda, static_cast<T*>(b), ldb, info);
  });
}

CUDA_API int cusolverDnXsyevd_bufferSize(SolverHandle* h, const void*, int, int, int64_t, int, const void*, int64_t,
                                         int, const void*, int, size_t* device_bytes, size_t* host_bytes) {
  return answer_works(h, device_bytes, host_bytes);
}
CUDA_API int cusolverDnXsyevd(SolverHandle* h, const void*, int mode, int fill, int64_t n, int type, void* a,
                              int64_t lda, int, void* w, int, void*, size_t, void*, size_t, int* info) {
  return with_type(h, type, [&]<typename T>(T) {
    return syevd<T>(h, mode, fill, n, static_cast<T*>(a), lda, static_cast<RealOf<T>*>(w), info, 1);
  });
}
CUDA_API int cusolverDnXsyevBatched_bufferSize(SolverHandle* h, const void*, int, int, int64_t, int, const void*,
                                               int64_t, int, const void*, int, size_t* device_bytes, size_t* host_bytes,
                                               int64_t) {
  return answer_works(h, device_bytes, host_bytes);
}
CUDA_API int cusolverDnXsyevBatched(SolverHandle* h, const void*, int mode, int fill, int64_t n, int type, void* a,
                                    int64_t lda, int, void* w, int, void*, size_t, void*, size_t, int* infos,
                                    int64_t count) {
  return with_type(h, type, [&]<typename T>(T) {
    return syevd<T>(h, mode, fill, n, static_cast<T*>(a), lda, static_cast<RealOf<T>*>(w), infos, count);
  });
}

CUDA_API int cusolverDnXgeev_bufferSize(SolverHandle* h, const void*, int, int, int64_t, int, const void*, int64_t, int,
                                        const void*, int, const void*, int64_t, int, const void*, int64_t, int,
                                        size_t* device_bytes, size_t* host_bytes) {
  return answer_works(h, device_bytes, host_bytes);
}
CUDA_API int cusolverDnXgeev(SolverHandle* h, const void*, int left, int right, int64_t n, int type, void* a,
                             int64_t lda, int w_type, void* w, int left_type, void* vl, int64_t ldvl, int right_type,
                             void* vr, int64_t ldvr, int, void*, size_t, void*, size_t, int* info) {
  const bool same_types = (left == 0 || left_type == type) && (right == 0 || right_type == type);
  const bool valid =
      vectors_letter(left) != 0 && vectors_letter(right) != 0 && same_types && fits({n, lda, ldvl, ldvr});
  return with_type(h, type, [&]<typename T>(T) {
    return geev<T>(h, valid,
                   {left == 1, right == 1, static_cast<int>(n), static_cast<T*>(a), static_cast<int>(lda), w,
                    is_complex(static_cast<Number>(w_type)), static_cast<T*>(vl), static_cast<T*>(vr),
                    static_cast<int>(ldvl), static_cast<int>(ldvr), info});
  });
}

CUDA_API int cusolverDnXsytrs_bufferSize(SolverHandle* h, int, int64_t, int64_t, int, const void*, int64_t,
                                         const int64_t*, int, void*, int64_t, size_t* device_bytes,
                                         size_t* host_bytes) {
  return answer_works(h, device_bytes, host_bytes);
}
CUDA_API int cusolverDnXsytrs(SolverHandle* h, int fill, int64_t n, int64_t columns, int type, const void* a,
                              int64_t lda, const int64_t* pivots, int, void* b, int64_t ldb, void*, size_t, void*,
                              size_t, int* info) {
  const bool valid = fill_letter(fill) != 0 && pivots != nullptr && info != nullptr && fits({n, columns, lda, ldb});
  const auto size = static_cast<double>(n);
  return with_type(h, type, [&]<typename T>(T) {
    const auto* const factor = static_cast<const T*>(a);
    auto* const solved = static_cast<T*>(b);
    return queue_solver(
        h, valid,
        {.operation = "sytrs",
         .number = kNumberOf<T>,
         .sizes = {n, columns},
         .flops = 2 * size * size * static_cast<double>(columns),
         .touches =
             [=] { return std::vector{matrix(factor, n, n, lda, false), matrix(solved, n, columns, ldb, true)}; },
         .run =
             [=] {
               const std::vector<int> own(pivots, pivots + n);
               return lapack<T>("sytrs", fill_letter(fill), static_cast<int>(n), static_cast<int>(columns), factor,
                                static_cast<int>(lda), own.data(), solved, static_cast<int>(ldb), info);
             }});
  });
}
