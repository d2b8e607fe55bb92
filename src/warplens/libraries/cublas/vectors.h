// The shared part of operations on vectors: queuing them in the handle's stream.
#pragma once
#include <utility>

#include "warplens/base/text.h"
#include "warplens/libraries/cublas/handle.h"

namespace warplens::libraries {

/// x[i] as BLAS counts it: from the end of the memory where the step is negative.
template <typename T>
struct StridedVector {
  T* first;
  int64_t step;
  StridedVector(const void* data, int64_t count, int64_t by)
      : first(static_cast<T*>(const_cast<void*>(data)) + (by < 0 ? (1 - count) * by : 0)), step(by) {}
  T& operator[](int64_t i) const { return first[i * step]; }
};

template <typename R>
R conjugate(R x) {
  return x;
}
template <typename R>
std::complex<R> conjugate(std::complex<R> x) {
  return std::conj(x);
}

enum class Use : uint8_t { kRead, kWrite, kUpdate };
struct VectorUse {
  const void* data;
  int64_t step;
  Use use;
};

template <typename T>
T scalar_as(const Scalar& scalar) {
  const std::complex<double> value = scalar.now();
  if constexpr (std::is_floating_point_v<T>) return static_cast<T>(value.real());
  else return T(value);
}

/// Queues `work` on vectors of `count` elements. Work is done when it is requested, so a result in host memory is there
/// when this returns.
template <typename T, typename F>
int queue_vectors(const BlasHandle& handle, const char* what, int64_t count, std::initializer_list<VectorUse> vectors,
                  F work) {
  std::vector<TouchedMemory> touches;
  for (const VectorUse& v : vectors) {
    if (v.use != Use::kWrite) touches.push_back(touched_vector(v.data, sizeof(T), count, v.step, false));
    if (v.use != Use::kRead) touches.push_back(touched_vector(v.data, sizeof(T), count, v.step, true));
  }
  return queue_streaming(handle, fmt::format("{} {} {}", what, name(kNumberOf<T>), count),
                         2.0 * static_cast<double>(count), std::move(touches), [work] {
                           work();
                           return Status();
                         });
}

}  // namespace warplens::libraries
