// Products of matrices as cuBLAS defines them, computed by the CPU: any element types, layouts, batches, epilogues.
#pragma once
#include <complex>

#include "warplens/base/status.h"
#include "warplens/libraries/math/number.h"

namespace warplens::libraries {

/// A matrix of a batch, as the product sees it: transposition has gone into the steps. Steps are in elements.
struct Matrix {
  void* data = nullptr;
  Number number = Number::kF32;
  int64_t row_step = 1, column_step = 0;
  bool conjugate = false;
  int64_t batch_step = 0;
  void* const* batch = nullptr;  // in place of `data`: a pointer for each product
  bool structured = false;       // `data` is compressed, the steps are those of the expanded matrix (math/structured.h)

  void* of(int64_t product) const {
    return batch != nullptr ? batch[product] : static_cast<char*>(data) + product * batch_step * size_bytes(number);
  }
};

/// op(A) of a column-major matrix with this leading dimension. `op`: as cublasOperation_t (0 N, 1 T, 2 C).
Matrix column_major(const void* data, Number number, int64_t leading, int op = 0);

enum class Activation : uint8_t { kNone, kRelu, kGelu, kReluBackward, kGeluBackward };

/// Factors: one for all, or one for each row of A or column of B.
struct Factors {
  const float* values = nullptr;  // none: 1
  bool each = false;
  float of(int64_t i) const { return values == nullptr ? 1 : values[each ? i : 0]; }
};

/// The epilogue of the product. GELU is the approximation by tanh, as in cuBLASLt.
struct Epilogue {
  Activation activation = Activation::kNone;
  const void* bias = nullptr;  // one element for each row of D
  Number bias_number = Number::kF32;
  int64_t bias_batch_step = 0;
  /// Gradients of a bias: sums over a row of D, a row of op(A), or a column of op(B).
  enum class Sums : uint8_t { kNone, kD, kA, kB } sums = Sums::kNone;
  void* gradient = nullptr;  // of `bias_number` and `bias_batch_step`
  void* aux = nullptr;       // the activation's input: for ReLU a bit an element, 1 if it is positive
  Number aux_number = Number::kF32;
  int64_t aux_leading = 0, aux_batch_step = 0;
  Factors a, b, c, d;
  float* largest = nullptr;  // of D's magnitudes, before D's factor

  bool is_none() const {
    return activation == Activation::kNone && bias == nullptr && sums == Sums::kNone && aux == nullptr &&
           a.values == nullptr && b.values == nullptr && c.values == nullptr && d.values == nullptr &&
           largest == nullptr;
  }
};

/// D = epilogue(alpha op(A) op(B) + beta C): A is m by k, B k by n, C and D m by n.
struct Product {
  int64_t m = 0, n = 0, k = 0, batches = 1;
  Matrix a, b, c, d;
  std::complex<double> alpha = 1, beta = 0;
  bool tf32 = false;  // f32 elements of A and B are rounded to TF32's 10 bits of mantissa
  Epilogue epilogue;
};

/// Errors: no CPU library; sizes above 2^31.
Status run(const Product& product);

}  // namespace warplens::libraries
