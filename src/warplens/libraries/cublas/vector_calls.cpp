// cuBLAS: operations on vectors.
#include <cmath>

#include "warplens/libraries/cublas/vectors.h"

using namespace warplens;
using namespace warplens::libraries;

namespace {

template <typename R>
double magnitude(R x) {
  return std::fabs(static_cast<double>(x));
}
/// BLAS measures a complex element by |re| + |im|.
template <typename R>
double magnitude(std::complex<R> x) {
  return magnitude(x.real()) + magnitude(x.imag());
}
template <typename T>
int axpy(BlasHandle* h, int64_t n, const void* alpha, const void* x, int64_t x_step, void* y, int64_t y_step) {
  if (h == nullptr) return kBlasNotInitialized;
  const Scalar scale = h->scalar(alpha, kNumberOf<T>);
  return queue_vectors<T>(*h, "axpy", n, {{x, x_step, Use::kRead}, {y, y_step, Use::kUpdate}}, [=] {
    const StridedVector<T> from(x, n, x_step), to(y, n, y_step);
    const T factor = scalar_as<T>(scale);
    for (int64_t i = 0; i < n; ++i) to[i] += factor * from[i];
  });
}

template <typename T, typename A = T>
int scal(BlasHandle* h, int64_t n, const void* alpha, void* x, int64_t step) {
  if (h == nullptr) return kBlasNotInitialized;
  const Scalar scale = h->scalar(alpha, kNumberOf<A>);
  return queue_vectors<T>(*h, "scal", n, {{x, step, Use::kUpdate}}, [=] {
    const StridedVector<T> values(x, n, step);
    const A factor = scalar_as<A>(scale);
    for (int64_t i = 0; i < n; ++i) values[i] *= factor;
  });
}

template <typename T>
int copy(BlasHandle* h, int64_t n, const void* x, int64_t x_step, void* y, int64_t y_step) {
  if (h == nullptr) return kBlasNotInitialized;
  return queue_vectors<T>(*h, "copy", n, {{x, x_step, Use::kRead}, {y, y_step, Use::kWrite}}, [=] {
    const StridedVector<T> from(x, n, x_step), to(y, n, y_step);
    for (int64_t i = 0; i < n; ++i) to[i] = from[i];
  });
}

template <typename T>
int swap(BlasHandle* h, int64_t n, void* x, int64_t x_step, void* y, int64_t y_step) {
  if (h == nullptr) return kBlasNotInitialized;
  return queue_vectors<T>(*h, "swap", n, {{x, x_step, Use::kUpdate}, {y, y_step, Use::kUpdate}}, [=] {
    const StridedVector<T> a(x, n, x_step), b(y, n, y_step);
    for (int64_t i = 0; i < n; ++i) std::swap(a[i], b[i]);
  });
}

/// The GPU sums in parallel, whose order is its own: sums here are wider.
template <typename T>
int dot(BlasHandle* h, int64_t n, const void* x, int64_t x_step, const void* y, int64_t y_step, void* result,
        bool conjugated) {
  if (h == nullptr) return kBlasNotInitialized;
  return queue_vectors<T>(*h, "dot", n, {{x, x_step, Use::kRead}, {y, y_step, Use::kRead}}, [=] {
    const StridedVector<T> a(x, n, x_step), b(y, n, y_step);
    std::complex<double> sum = 0;
    for (int64_t i = 0; i < n; ++i) {
      const std::complex<double> left(conjugated ? conjugate(a[i]) : a[i]);
      sum += left * std::complex<double>(b[i]);
    }
    store(&sum, 1, kNumberOf<T>, result, 1);
  });
}

template <typename T, typename R>
int norm(BlasHandle* h, int64_t n, const void* x, int64_t step, void* result, bool euclidean) {
  if (h == nullptr) return kBlasNotInitialized;
  return queue_vectors<T>(*h, euclidean ? "nrm2" : "asum", n, {{x, step, Use::kRead}}, [=] {
    const StridedVector<T> values(x, n, std::abs(step));
    double sum = 0;
    for (int64_t i = 0; i < n; ++i)
      sum += euclidean ? std::norm(std::complex<double>(values[i])) : magnitude(values[i]);
    *static_cast<R*>(result) = static_cast<R>(euclidean ? std::sqrt(sum) : sum);
  });
}

/// The first element, counted from 1, that is the largest or the smallest.
template <typename T, typename I>
int extreme(BlasHandle* h, int64_t n, const void* x, int64_t step, I* result, bool largest) {
  if (h == nullptr) return kBlasNotInitialized;
  return queue_vectors<T>(*h, largest ? "amax" : "amin", n, {{x, step, Use::kRead}}, [=] {
    const StridedVector<T> values(x, n, std::abs(step));
    int64_t best = 0;
    for (int64_t i = 1; i < n; ++i) {
      const double now = magnitude(values[i]), then = magnitude(values[best]);
      if (largest ? now > then : now < then) best = i;
    }
    *result = static_cast<I>(n > 0 && step > 0 ? best + 1 : 0);
  });
}

}  // namespace

using C32 = std::complex<float>;
using C64 = std::complex<double>;

#define VECTORS(L, T, I, wide)                                                                                   \
  CUDA_API int cublas##L##axpy_v2##wide(BlasHandle* h, I n, const void* alpha, const void* x, I x_step, void* y, \
                                        I y_step) {                                                              \
    return axpy<T>(h, n, alpha, x, x_step, y, y_step);                                                           \
  }                                                                                                              \
  CUDA_API int cublas##L##scal_v2##wide(BlasHandle* h, I n, const void* alpha, void* x, I step) {                \
    return scal<T>(h, n, alpha, x, step);                                                                        \
  }                                                                                                              \
  CUDA_API int cublas##L##copy_v2##wide(BlasHandle* h, I n, const void* x, I x_step, void* y, I y_step) {        \
    return copy<T>(h, n, x, x_step, y, y_step);                                                                  \
  }                                                                                                              \
  CUDA_API int cublas##L##swap_v2##wide(BlasHandle* h, I n, void* x, I x_step, void* y, I y_step) {              \
    return swap<T>(h, n, x, x_step, y, y_step);                                                                  \
  }
#define DOTS(name, T, conjugated, I, wide)                                                                   \
  CUDA_API int cublas##name##_v2##wide(BlasHandle* h, I n, const void* x, I x_step, const void* y, I y_step, \
                                       void* result) {                                                       \
    return dot<T>(h, n, x, x_step, y, y_step, result, conjugated);                                           \
  }
#define NORMS(asum, nrm2, T, R, I, wide)                                                          \
  CUDA_API int cublas##asum##_v2##wide(BlasHandle* h, I n, const void* x, I step, void* result) { \
    return norm<T, R>(h, n, x, step, result, false);                                              \
  }                                                                                               \
  CUDA_API int cublas##nrm2##_v2##wide(BlasHandle* h, I n, const void* x, I step, void* result) { \
    return norm<T, R>(h, n, x, step, result, true);                                               \
  }
#define EXTREMES(l, T, I, wide)                                                                  \
  CUDA_API int cublasI##l##amax_v2##wide(BlasHandle* h, I n, const void* x, I step, I* result) { \
    return extreme<T>(h, n, x, step, result, true);                                              \
  }                                                                                              \
  CUDA_API int cublasI##l##amin_v2##wide(BlasHandle* h, I n, const void* x, I step, I* result) { \
    return extreme<T>(h, n, x, step, result, false);                                             \
  }
#define SCALES(name, T, A, I, wide)                                                              \
  CUDA_API int cublas##name##_v2##wide(BlasHandle* h, I n, const void* alpha, void* x, I step) { \
    return scal<T, A>(h, n, alpha, x, step);                                                     \
  }
VECTORS(S, float, int, )
VECTORS(S, float, int64_t, _64)
VECTORS(D, double, int, )
VECTORS(D, double, int64_t, _64)
VECTORS(C, C32, int, )
VECTORS(C, C32, int64_t, _64)
VECTORS(Z, C64, int, )
VECTORS(Z, C64, int64_t, _64)
DOTS(Sdot, float, false, int, )
DOTS(Sdot, float, false, int64_t, _64)
DOTS(Ddot, double, false, int, )
DOTS(Ddot, double, false, int64_t, _64)
DOTS(Cdotu, C32, false, int, )
DOTS(Cdotu, C32, false, int64_t, _64)
DOTS(Cdotc, C32, true, int, )
DOTS(Cdotc, C32, true, int64_t, _64)
DOTS(Zdotu, C64, false, int, )
DOTS(Zdotu, C64, false, int64_t, _64)
DOTS(Zdotc, C64, true, int, )
DOTS(Zdotc, C64, true, int64_t, _64)
NORMS(Sasum, Snrm2, float, float, int, )
NORMS(Sasum, Snrm2, float, float, int64_t, _64)
NORMS(Dasum, Dnrm2, double, double, int, )
NORMS(Dasum, Dnrm2, double, double, int64_t, _64)
NORMS(Scasum, Scnrm2, C32, float, int, )
NORMS(Scasum, Scnrm2, C32, float, int64_t, _64)
NORMS(Dzasum, Dznrm2, C64, double, int, )
NORMS(Dzasum, Dznrm2, C64, double, int64_t, _64)
EXTREMES(s, float, int, )
EXTREMES(s, float, int64_t, _64)
EXTREMES(d, double, int, )
EXTREMES(d, double, int64_t, _64)
EXTREMES(c, C32, int, )
EXTREMES(c, C32, int64_t, _64)
EXTREMES(z, C64, int, )
EXTREMES(z, C64, int64_t, _64)
SCALES(Csscal, C32, float, int, )
SCALES(Csscal, C32, float, int64_t, _64)
SCALES(Zdscal, C64, double, int, )
SCALES(Zdscal, C64, double, int64_t, _64)
#undef SCALES
#undef EXTREMES
#undef NORMS
#undef DOTS
#undef VECTORS
