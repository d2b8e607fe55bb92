// The objects behind cuBLASLt's opaque handles. They fit the memory that its headers give them, because programs may
// hold them by value.
#pragma once
#include <array>
#include <cstdint>

#include "warplens/libraries/math/number.h"
#include "warplens/libraries/queue/blas_status.h"

namespace warplens::libraries {

/// As cublasLtMatrixLayoutAttribute_t numbers its fields.
struct LtLayout {
  int type = 0, order = 0;
  uint64_t rows = 0, columns = 0;
  int64_t leading = 0;
  int batches = 1, batch_mode = 0;
  int64_t batch_step = 0, plane = 0;

  Number number() const { return static_cast<Number>(type); }
};
static_assert(sizeof(LtLayout) <= 64);

/// As cublasLtMatmulDescAttributes_t numbers them.
enum class LtAttribute : int {
  kCompute = 0,
  kScaleType = 1,
  kPointerMode = 2,
  kOpA = 3,
  kOpB = 4,
  kOpC = 5,
  kFill = 6,
  kEpilogue = 7,
  kBias = 8,
  kBiasBatchStep = 10,
  kAux = 11,
  kAuxLeading = 12,
  kAuxBatchStep = 13,
  kAScale = 17,
  kBScale = 18,
  kCScale = 19,
  kDScale = 20,
  kLargestOfD = 21,
  kAuxType = 22,
  kAuxScale = 23,
  kBiasType = 26,
  kAScaleMode = 31,
  kBScaleMode = 32,
};

class LtMatmul {
 public:
  static constexpr int kWide = 27, kModes = 31, kModesEnd = 36;

  LtMatmul() = default;
  LtMatmul(int compute, int scale_type);
  /// Errors: no such attribute, a wrong size.
  int set(int attribute, const void* value, size_t size_bytes);
  int get(int attribute, void* value, size_t size_bytes, size_t* written) const;

  int number(LtAttribute attribute) const { return static_cast<int>(raw(attribute)); }
  int64_t wide(LtAttribute attribute) const { return raw(attribute); }
  void* pointer(LtAttribute attribute) const { return reinterpret_cast<void*>(raw(attribute)); }

 private:
  int64_t raw(LtAttribute attribute) const;
  std::array<int64_t, kWide> values_{};
  std::array<int, kModesEnd - kModes> modes_{};
};
static_assert(sizeof(LtMatmul) <= 256);

struct LtAlgorithm {
  uint64_t data[8];
};
struct LtHeuristic {
  LtAlgorithm algorithm;
  size_t workspace_bytes;
  int status;
  float waves;
  int reserved[4];
};
static_assert(sizeof(LtHeuristic) == 96);

}  // namespace warplens::libraries
