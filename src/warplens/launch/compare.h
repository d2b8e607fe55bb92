// Compares a buffer with its expected contents, and summarises it.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "warplens/launch/dtype.h"

namespace warplens::launch {

/// Elements pass if |got - want| <= atol + rtol * |want|, both are NaN, or both are the same infinity.
struct Comparison {
  std::string name;     // of the buffer
  std::string against;  // "want.npy", "the GPU"
  DType dtype = DType::kF32;
  std::vector<uint64_t> shape;
  double rtol = 0, atol = 0;
  uint64_t count = 0, wrong = 0;
  uint64_t nan_got = 0, nan_want = 0, inf_got = 0, inf_want = 0;
  double largest_error = 0;    // |got - want| of the element `at`; infinite if one is not finite
  uint64_t at = 0;             // index of the worst element
  double got = 0, want = 0;    // there
  uint64_t first_wrong = 0;    // index; valid when wrong > 0
  bool shape_differs = false;  // another number of elements: not compared
  bool ok() const { return wrong == 0 && !shape_differs; }
  /// "y against want.npy: 3 of 100 elements are wrong; the worst is y[2,5]: 1.5 for 1.25 (error 0.25)"
  std::string text() const;
};

Comparison compare(DType dtype, std::span<const uint8_t> got, std::span<const uint8_t> want, double rtol, double atol);

/// "[2,5]" for element 13 of shape (4, 8); "[13]" for one dimension.
std::string index_text(uint64_t index, const std::vector<uint64_t>& shape);

/// Sums in double precision, in order of index; NaN and infinities are counted and left out.
struct Summary {
  double sum = 0, sum_squares = 0, min = 0, max = 0;
  uint64_t nan = 0, inf = 0;
};
Summary summarize(DType dtype, std::span<const uint8_t> bytes);

}  // namespace warplens::launch
