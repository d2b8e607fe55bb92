// cuBLAS: rotations of pairs of vectors, by the CPU's BLAS. Their parameters are read when the work runs.
#include "warplens/libraries/cublas/vectors.h"
#include "warplens/libraries/math/cpu_library.h"

using namespace warplens;
using namespace warplens::libraries;

namespace {

using C32 = std::complex<float>;
using C64 = std::complex<double>;

/// x and y, `count` elements each, turned by `work`, which is done when the call is made.
template <typename T, typename F>
int queue_rotation(BlasHandle* h, const char* what, int64_t count, void* x, int64_t x_step, void* y, int64_t y_step,
                   F work) {
  if (h == nullptr) return kBlasNotInitialized;
  std::vector<TouchedMemory> touches;
  for (const bool written : {false, true}) {
    touches.push_back(touched_vector(x, sizeof(T), count, x_step, written));
    touches.push_back(touched_vector(y, sizeof(T), count, y_step, written));
  }
  return queue_streaming(*h, fmt::format("{} {} {}", what, name(kNumberOf<T>), count), 6.0 * static_cast<double>(count),
                         std::move(touches), work);
}

/// x = c x + s y; y = c y - conj(s) x.
template <typename T, typename C, typename S>
int rot(BlasHandle* h, int64_t n, void* x, int64_t x_step, void* y, int64_t y_step, const void* c, const void* s) {
  if (h == nullptr) return kBlasNotInitialized;
  const Scalar cosine = h->scalar(c, kNumberOf<C>), sine = h->scalar(s, kNumberOf<S>);
  return queue_rotation<T>(h, "rot", n, x, x_step, y, y_step, [=] {
    const StridedVector<T> a(x, n, x_step), b(y, n, y_step);
    const C by_c = scalar_as<C>(cosine);
    const S by_s = scalar_as<S>(sine);
    for (int64_t i = 0; i < n; ++i) {
      const T before = a[i];
      a[i] = by_c * before + by_s * b[i];
      b[i] = by_c * b[i] - conjugate(by_s) * before;
    }
    return Status();
  });
}

/// The rotation that makes b zero. a, b, c and s are of the host or of the device.
template <typename T, typename C>
int rotg(BlasHandle* h, const char* function, T* a, T* b, C* c, T* s) {
  return queue_rotation<T>(h, "rotg", 0, nullptr, 1, nullptr, 1, [=]() -> Status {
    using Rotg = void(T*, T*, C*, T*);
    WL_ASSIGN(Rotg* const work, cpu_function<Rotg>(function));
    work(a, b, c, s);
    return {};
  });
}

template <typename T>
int rotm(BlasHandle* h, const char* function, int64_t n, T* x, int64_t x_step, T* y, int64_t y_step,
         const T* parameters) {
  return queue_rotation<T>(h, "rotm", n, x, x_step, y, y_step, [=]() -> Status {
    using Rotm = void(const int*, T*, const int*, T*, const int*, const T*);
    WL_ASSIGN(Rotm* const work, cpu_function<Rotm>(function));
    const int count = static_cast<int>(n), x_by = static_cast<int>(x_step), y_by = static_cast<int>(y_step);
    work(&count, x, &x_by, y, &y_by, parameters);
    return {};
  });
}

template <typename T>
int rotmg(BlasHandle* h, const char* function, T* d1, T* d2, T* x1, const T* y1, T* parameters) {
  return queue_rotation<T>(h, "rotmg", 0, nullptr, 1, nullptr, 1, [=]() -> Status {
    using Rotmg = void(T*, T*, T*, const T*, T*);
    WL_ASSIGN(Rotmg* const work, cpu_function<Rotmg>(function));
    work(d1, d2, x1, y1, parameters);
    return {};
  });
}

}  // namespace

#define ROT(name, T, C, S, I, wide)                                                                             \
  CUDA_API int cublas##name##_v2##wide(BlasHandle* h, I n, void* x, I x_step, void* y, I y_step, const void* c, \
                                       const void* s) {                                                         \
    return rot<T, C, S>(h, n, x, x_step, y, y_step, c, s);                                                      \
  }
#define ROTM(name, function, T, I, wide)                                                                          \
  CUDA_API int cublas##name##_v2##wide(BlasHandle* h, I n, T* x, I x_step, T* y, I y_step, const T* parameters) { \
    return rotm<T>(h, function, n, x, x_step, y, y_step, parameters);                                             \
  }
#define ROTATIONS(I, wide)                   \
  ROT(Srot, float, float, float, I, wide)    \
  ROT(Drot, double, double, double, I, wide) \
  ROT(Crot, C32, float, C32, I, wide)        \
  ROT(Csrot, C32, float, float, I, wide)     \
  ROT(Zrot, C64, double, C64, I, wide)       \
  ROT(Zdrot, C64, double, double, I, wide)   \
  ROTM(Srotm, "srotm_", float, I, wide)      \
  ROTM(Drotm, "drotm_", double, I, wide)
ROTATIONS(int, )
ROTATIONS(int64_t, _64)
#undef ROTATIONS
#undef ROTM
#undef ROT

#define ROTG(name, function, T, C) \
  CUDA_API int cublas##name##_v2(BlasHandle* h, T* a, T* b, C* c, T* s) { return rotg<T, C>(h, function, a, b, c, s); }
ROTG(Srotg, "srotg_", float, float)
ROTG(Drotg, "drotg_", double, double)
ROTG(Crotg, "crotg_", C32, float)
ROTG(Zrotg, "zrotg_", C64, double)
#undef ROTG
#define ROTMG(name, function, T)                                                                   \
  CUDA_API int cublas##name##_v2(BlasHandle* h, T* d1, T* d2, T* x1, const T* y1, T* parameters) { \
    return rotmg<T>(h, function, d1, d2, x1, y1, parameters);                                      \
  }
ROTMG(Srotmg, "srotmg_", float)
ROTMG(Drotmg, "drotmg_", double)
#undef ROTMG
