// cuBLAS: operations on vectors whose types are arguments (...Ex).
#include <cmath>

#include "warplens/libraries/cublas/vectors.h"

using namespace warplens;
using namespace warplens::libraries;

namespace {

using Values = std::vector<std::complex<double>>;

/// A vector of a type that is an argument.
struct Mixed {
  const void* data;
  int type;
  int64_t step;

  Number number() const { return static_cast<Number>(type); }
  int element_bytes() const { return size_bytes(number()); }
  void* first(int64_t count) const {
    return static_cast<char*>(const_cast<void*>(data)) + (step < 0 ? (1 - count) * step * element_bytes() : 0);
  }
  Values loaded(int64_t count) const {
    Values out(static_cast<size_t>(count));
    load(number(), first(count), step, count, out.data());
    return out;
  }
  void keep(const Values& values) const {
    const auto count = static_cast<int64_t>(values.size());
    store(values.data(), count, number(), first(count), step);
  }
  TouchedMemory touched(int64_t count, bool written) const {
    return touched_vector(data, element_bytes(), count, step, written);
  }
};

int check(const BlasHandle* h, std::initializer_list<int> types) {
  if (h == nullptr) return kBlasNotInitialized;
  for (const int type : types)
    if (size_bytes(static_cast<Number>(type)) == 0) return kBlasNotSupported;
  return kBlasSuccess;
}

int queue_mixed(const BlasHandle& h, const char* what, int64_t count, const Mixed& x,
                std::vector<TouchedMemory> touches, std::function<Status()> work) {
  return queue_streaming(h, fmt::format("{} {} {}", what, name(x.number()), count), 2.0 * static_cast<double>(count),
                         std::move(touches), std::move(work));
}

int axpy_of(BlasHandle* h, int64_t n, const void* alpha, int alpha_type, const Mixed& x, const Mixed& y) {
  if (const int status = check(h, {alpha_type, x.type, y.type}); status != kBlasSuccess) return status;
  const Scalar scale = h->scalar(alpha, static_cast<Number>(alpha_type));
  return queue_mixed(*h, "axpy", n, x, {x.touched(n, false), y.touched(n, false), y.touched(n, true)}, [=] {
    const Values from = x.loaded(n);
    Values to = y.loaded(n);
    const std::complex<double> factor = scale.now();
    for (size_t i = 0; i < to.size(); ++i) to[i] += factor * from[i];
    return y.keep(to), Status();
  });
}

int scal_of(BlasHandle* h, int64_t n, const void* alpha, int alpha_type, const Mixed& x) {
  if (const int status = check(h, {alpha_type, x.type}); status != kBlasSuccess) return status;
  const Scalar scale = h->scalar(alpha, static_cast<Number>(alpha_type));
  return queue_mixed(*h, "scal", n, x, {x.touched(n, false), x.touched(n, true)}, [=] {
    Values values = x.loaded(n);
    const std::complex<double> factor = scale.now();
    for (auto& value : values) value *= factor;
    return x.keep(values), Status();
  });
}

int copy_of(BlasHandle* h, int64_t n, const Mixed& x, const Mixed& y) {
  if (const int status = check(h, {x.type, y.type}); status != kBlasSuccess) return status;
  return queue_mixed(*h, "copy", n, x, {x.touched(n, false), y.touched(n, true)},
                     [=] { return y.keep(x.loaded(n)), Status(); });
}

int swap_of(BlasHandle* h, int64_t n, const Mixed& x, const Mixed& y) {
  if (const int status = check(h, {x.type, y.type}); status != kBlasSuccess) return status;
  return queue_mixed(*h, "swap", n, x,
                     {x.touched(n, false), y.touched(n, false), x.touched(n, true), y.touched(n, true)}, [=] {
                       const Values before = x.loaded(n);
                       x.keep(y.loaded(n));
                       return y.keep(before), Status();
                     });
}

/// x = c x + s y; y = c y - conj(s) x.
int rot_of(BlasHandle* h, int64_t n, const Mixed& x, const Mixed& y, const void* c, const void* s, int type) {
  if (const int status = check(h, {x.type, y.type, type}); status != kBlasSuccess) return status;
  const Scalar cosine = h->scalar(c, static_cast<Number>(type)), sine = h->scalar(s, static_cast<Number>(type));
  return queue_mixed(*h, "rot", n, x,
                     {x.touched(n, false), y.touched(n, false), x.touched(n, true), y.touched(n, true)}, [=] {
                       Values a = x.loaded(n), b = y.loaded(n);
                       const std::complex<double> by_c = cosine.now(), by_s = sine.now();
                       for (size_t i = 0; i < a.size(); ++i) {
                         const std::complex<double> before = a[i];
                         a[i] = by_c * before + by_s * b[i];
                         b[i] = by_c * b[i] - std::conj(by_s) * before;
                       }
                       x.keep(a);
                       return y.keep(b), Status();
                     });
}

int dot_of(BlasHandle* h, int64_t n, const Mixed& x, const Mixed& y, void* result, int type, bool conjugated) {
  if (const int status = check(h, {x.type, y.type, type}); status != kBlasSuccess) return status;
  if (n > 0 && (x.step == 0 || y.step == 0)) return kBlasInvalidValue;
  return queue_mixed(*h, "dot", n, x, {x.touched(n, false), y.touched(n, false)}, [=] {
    const Values left = x.loaded(n), right = y.loaded(n);
    std::complex<double> sum = 0;
    for (size_t i = 0; i < left.size(); ++i) sum += (conjugated ? std::conj(left[i]) : left[i]) * right[i];
    store(&sum, 1, static_cast<Number>(type), result, 1);
    return Status();
  });
}

int norm_of(BlasHandle* h, int64_t n, const Mixed& x, void* result, int type, bool euclidean) {
  if (const int status = check(h, {x.type, type}); status != kBlasSuccess) return status;
  const Mixed forwards{x.data, x.type, std::abs(x.step)};
  return queue_mixed(*h, euclidean ? "nrm2" : "asum", n, x, {forwards.touched(n, false)}, [=] {
    double sum = 0;
    for (const auto& value : forwards.loaded(n))
      sum += euclidean ? std::norm(value) : std::fabs(value.real()) + std::fabs(value.imag());
    const std::complex<double> out = euclidean ? std::sqrt(sum) : sum;
    store(&out, 1, static_cast<Number>(type), result, 1);
    return Status();
  });
}

/// The first element, counted from 1, that is the largest or the smallest.
template <typename I>
int extreme_of(BlasHandle* h, int64_t n, const Mixed& x, I* result, bool largest) {
  if (const int status = check(h, {x.type}); status != kBlasSuccess) return status;
  return queue_mixed(*h, largest ? "amax" : "amin", n, x, {x.touched(n, false)}, [=] {
    *result = 0;
    if (n <= 0 || x.step <= 0) return Status();
    const Values values = x.loaded(n);
    const auto size = [&](size_t i) { return std::fabs(values[i].real()) + std::fabs(values[i].imag()); };
    size_t best = 0;
    for (size_t i = 1; i < values.size(); ++i)
      if (largest ? size(i) > size(best) : size(i) < size(best)) best = i;
    *result = static_cast<I>(best + 1);
    return Status();
  });
}

}  // namespace

#define MIXED(I, wide)                                                                                                \
  CUDA_API int cublasAxpyEx##wide(BlasHandle* h, I n, const void* alpha, int alpha_type, const void* x, int x_type,   \
                                  I x_step, void* y, int y_type, I y_step, int) {                                     \
    return axpy_of(h, n, alpha, alpha_type, {x, x_type, x_step}, {y, y_type, y_step});                                \
  }                                                                                                                   \
  CUDA_API int cublasScalEx##wide(BlasHandle* h, I n, const void* alpha, int alpha_type, void* x, int x_type, I step, \
                                  int) {                                                                              \
    return scal_of(h, n, alpha, alpha_type, {x, x_type, step});                                                       \
  }                                                                                                                   \
  CUDA_API int cublasCopyEx##wide(BlasHandle* h, I n, const void* x, int x_type, I x_step, void* y, int y_type,       \
                                  I y_step) {                                                                         \
    return copy_of(h, n, {x, x_type, x_step}, {y, y_type, y_step});                                                   \
  }                                                                                                                   \
  CUDA_API int cublasSwapEx##wide(BlasHandle* h, I n, void* x, int x_type, I x_step, void* y, int y_type, I y_step) { \
    return swap_of(h, n, {x, x_type, x_step}, {y, y_type, y_step});                                                   \
  }                                                                                                                   \
  CUDA_API int cublasRotEx##wide(BlasHandle* h, I n, void* x, int x_type, I x_step, void* y, int y_type, I y_step,    \
                                 const void* c, const void* s, int type, int) {                                       \
    return rot_of(h, n, {x, x_type, x_step}, {y, y_type, y_step}, c, s, type);                                        \
  }                                                                                                                   \
  CUDA_API int cublasDotEx##wide(BlasHandle* h, I n, const void* x, int x_type, I x_step, const void* y, int y_type,  \
                                 I y_step, void* result, int type, int) {                                             \
    return dot_of(h, n, {x, x_type, x_step}, {y, y_type, y_step}, result, type, false);                               \
  }                                                                                                                   \
  CUDA_API int cublasDotcEx##wide(BlasHandle* h, I n, const void* x, int x_type, I x_step, const void* y, int y_type, \
                                  I y_step, void* result, int type, int) {                                            \
    return dot_of(h, n, {x, x_type, x_step}, {y, y_type, y_step}, result, type, true);                                \
  }                                                                                                                   \
  CUDA_API int cublasNrm2Ex##wide(BlasHandle* h, I n, const void* x, int x_type, I step, void* result, int type,      \
                                  int) {                                                                              \
    return norm_of(h, n, {x, x_type, step}, result, type, true);                                                      \
  }                                                                                                                   \
  CUDA_API int cublasAsumEx##wide(BlasHandle* h, I n, const void* x, int x_type, I step, void* result, int type,      \
                                  int) {                                                                              \
    return norm_of(h, n, {x, x_type, step}, result, type, false);                                                     \
  }                                                                                                                   \
  CUDA_API int cublasIamaxEx##wide(BlasHandle* h, I n, const void* x, int x_type, I step, I* result) {                \
    return extreme_of(h, n, {x, x_type, step}, result, true);                                                         \
  }                                                                                                                   \
  CUDA_API int cublasIaminEx##wide(BlasHandle* h, I n, const void* x, int x_type, I step, I* result) {                \
    return extreme_of(h, n, {x, x_type, step}, result, false);                                                        \
  }
MIXED(int, )
MIXED(int64_t, _64)
#undef MIXED
