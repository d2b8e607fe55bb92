// The objects behind cuSPARSELt's opaque structures, which the program holds by value: 512 bytes each.
#pragma once
#include <array>
#include <bit>
#include <cstdint>
#include <limits>

#include "warplens/cuda_api/visible.h"
#include "warplens/libraries/math/product.h"
#include "warplens/libraries/math/structured.h"
#include "warplens/libraries/queue/queue.h"
#include "warplens/libraries/queue/sparse_status.h"

namespace warplens::libraries {

constexpr size_t kSparseLtBytes = 512;

struct SparseLtMatrix {
  /// As cusparseOrder_t numbers them.
  enum Order : int { kColumns = 1, kRows = 2 };

  int64_t rows = 0, columns = 0, leading = 0;
  Number number = Number::kF16;
  int order = kRows;
  bool structured = false;
  int batches = 1;
  int64_t batch_step = 0;

  /// As the program sees op(this) in memory.
  Matrix dense(const void* data, int op) const;
  /// Lines along the depth of a product; `left`: this is A.
  StructuredShape lines(bool left, int op) const;
};

/// As cusparseLtMatmulDescAttribute_t numbers them.
enum class SparseLtAttribute : int {
  kRelu,
  kReluUpperBound,
  kReluThreshold,
  kGelu,
  kGeluScaling,
  kAlphaVector,
  kBetaVector,
  kBiasStep,
  kBias,
  kSparseMatrix,
  kAScaleMode,
  kBScaleMode,
  kCScaleMode,
  kDScaleMode,
  kDOutScaleMode,
  kAScale,
  kBScale,
  kCScale,
  kDScale,
  kDOutScale,
  kEnd,
};

class SparseLtMatmul {
 public:
  int op_a = 0, op_b = 0, compute = 0;
  SparseLtMatrix a, b, c, d;

  int set(int attribute, const void* value, size_t size_bytes);
  int get(int attribute, void* value, size_t size_bytes) const;

  int number(SparseLtAttribute attribute) const { return static_cast<int>(wide(attribute)); }
  int64_t wide(SparseLtAttribute attribute) const { return values_[static_cast<size_t>(attribute)]; }
  float real(SparseLtAttribute attribute) const {
    return std::bit_cast<float>(static_cast<uint32_t>(values_[static_cast<size_t>(attribute)]));
  }
  void* pointer(SparseLtAttribute attribute) const { return reinterpret_cast<void*>(wide(attribute)); }

  int64_t m() const { return op_a == 0 ? a.rows : a.columns; }
  int64_t n() const { return op_b == 0 ? b.columns : b.rows; }
  int64_t k() const { return op_a == 0 ? a.columns : a.rows; }

 private:
  std::array<int64_t, static_cast<size_t>(SparseLtAttribute::kEnd)> values_ = [] {
    std::array<int64_t, static_cast<size_t>(SparseLtAttribute::kEnd)> out{};
    const auto set = [&](SparseLtAttribute attribute, float value) {
      out[static_cast<size_t>(attribute)] = std::bit_cast<uint32_t>(value);
    };
    set(SparseLtAttribute::kReluUpperBound, std::numeric_limits<float>::infinity());
    set(SparseLtAttribute::kGeluScaling, 1);
    return out;
  }();
};

/// There is one algorithm. The values that a program sets are kept and have no effect.
struct SparseLtAlgorithm {
  /// As cusparseLtMatmulAlgAttribute_t numbers them: identifier, number of identifiers, iterations of a search, parts
  /// of the depth, how they are added, buffers for them.
  std::array<int, 6> values{0, 1, 5, 1, 1, 0};
};

using SparseLtPlan = SparseLtMatmul;
static_assert(sizeof(SparseLtMatrix) <= kSparseLtBytes && sizeof(SparseLtPlan) <= kSparseLtBytes);

/// Names a part that cannot be computed here; empty if there is none.
std::string refusal(const SparseLtMatmul& matmul);

}  // namespace warplens::libraries
