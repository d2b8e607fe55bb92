// Arrays of any number of dimensions as a graph of operations computes with them: f32 values, by rows.
#pragma once
#include <functional>
#include <vector>

#include "warplens/base/status.h"
#include "warplens/libraries/math/number.h"

namespace warplens::libraries {

using Sizes = std::vector<int64_t>;

int64_t count_of(const Sizes& size);
/// Steps of elements that lie by rows without gaps.
Sizes packed_steps(const Sizes& size);

struct Array {
  Sizes size;
  std::vector<float> values;

  Array() = default;
  explicit Array(Sizes dims, float value = 0);
};

/// Memory with steps of its own, in elements.
struct Strided {
  void* data = nullptr;
  Number number = Number::kF32;
  Sizes size, step;
};

Array load_array(const Strided& from);
void store_array(const Array& array, const Strided& to);
/// As an element of this number would hold the values.
void round_to(Number number, Array* array);

/// Calls `use` with the index of each row's first element, and its offset in elements.
void each_row(const Sizes& size, const std::function<void(const Sizes& index, int64_t offset)>& use);

/// An operand is broadcast in each dimension where its size is a part of the result's: index * size / size of the
/// result. So one element serves all, and each of two heads serves half of them.
/// One row of the result from a row of each input.
using RowFunction = std::function<void(const float* const* inputs, int64_t count, float* out)>;
/// Element by element; inputs are broadcast.
Array pointwise(const Sizes& size, const std::vector<const Array*>& inputs, const RowFunction& f);
/// The index along an axis, which begins at `first`.
Array index_along(const Sizes& size, size_t axis, int64_t first);

enum class Reducing : uint8_t { kAdd, kMul, kMin, kMax, kAmax, kAvg, kNorm1, kNorm2, kMulNoZeros };
/// Each element goes to the output's element that broadcasting would have read for it.
Array reduce(const Array& x, const Sizes& size, Reducing how);

/// The last two dimensions are matrices, those before are batches and broadcast. Errors: as of a product.
Result<Array> multiply(const Array& a, const Array& b, const Sizes& size, bool tf32 = false);

/// out[i...] = x[..., i at the place that `axes` names, ...].
Array permute(const Array& x, const std::vector<size_t>& axes);

struct Softmax {
  Array weights, largest, sums;  // sums: of exponentials, relative to the largest
};
/// Along the last dimension. `sink` (or nullptr) adds one more exponential to each sum. A row of nothing but -inf is 0.
Softmax softmax(const Array& x, const Array* sink);

}  // namespace warplens::libraries
