// Tensors of up to five dimensions with steps of their own, and their values in the order of their dimensions.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "warplens/libraries/math/number.h"

namespace warplens::libraries {

inline constexpr int kTensorDims = 5;  // batch, channels, and three of space
using Dims = std::array<int64_t, kTensorDims>;

struct Tensor {
  void* data = nullptr;
  Number number = Number::kF32;
  Dims size{1, 1, 1, 1, 1}, step{};  // steps in elements

  int64_t count() const;
  /// From its first element to its last, in elements.
  int64_t span() const;
  /// The part with this index of the first dimension.
  Tensor at(int64_t first) const;
};

template <typename T>
std::vector<T> values_of(const Tensor& tensor);
/// tensor = alpha values + beta tensor.
template <typename T>
void store_values(const std::vector<T>& values, const Tensor& tensor, double alpha = 1, double beta = 0);

/// Calls `use` with the type in which elements of `number` are added up: double for f64, else float.
template <typename F>
auto with_sums(Number number, F use) {
  return number == Number::kF64 ? use(double()) : use(float());
}

}  // namespace warplens::libraries
