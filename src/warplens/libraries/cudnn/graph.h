// A graph of operations as cuDNN's programs describe it: tensors by number, and what happens to them.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "warplens/libraries/math/array.h"
#include "warplens/libraries/math/convolution.h"

namespace warplens::libraries {

struct Content;

struct GraphTensor {
  int64_t id = 0;
  int type = 0;  // cudnnDataType_t
  Sizes size, step;
  bool is_virtual = false;   // between operations, never in memory
  bool is_by_value = false;  // a scalar in the host's memory, read at the call
  std::optional<double> constant;
  /// Where each image's part begins, in elements times a factor: sequences of different lengths lie without gaps.
  std::shared_ptr<const GraphTensor> offsets;
  int64_t offset_factor = 1;

  bool is_scalar() const { return is_by_value || constant.has_value(); }
};
using TensorRef = std::shared_ptr<const GraphTensor>;

enum class OperationKind : uint8_t {
  kConvolution,
  kPointwise,
  kMatmul,
  kReduction,
  kReshape,
  kRandom,
  kSoftmax,
  kBandMask,
  kPermute,
};

struct GraphOperation {
  OperationKind kind = OperationKind::kPointwise;
  std::vector<TensorRef> inputs, outputs;  // by place; nullptr where a place is not used
  int mode = 0;                            // of pointwise, reduction, distribution or comparison
  int64_t axis = -1;
  double
      parameters[3]{};  // of pointwise: bounds and slopes; of random numbers: probability; of convolutions: alpha, beta
  std::vector<size_t> axes;  // of a permutation
  Convolution convolution;   // without its tensors
};

struct Graph {
  std::vector<GraphOperation> operations;  // each after those whose results it reads
  bool multiplies_f32 = false, uses_tensor_cores = false;
};

/// Errors: an operation that is not emulated, or one that lacks a tensor, by name.
Result<Graph> build_graph(const std::vector<std::shared_ptr<const Content>>& operations);

/// Errors: sizes, types or modes that run_graph does not know.
Status check_operation(const GraphOperation& operation);

/// Places of a graph's operands.
namespace operand {
inline constexpr size_t kA = 0, kB = 1, kRows = 2, kColumns = 3, kDepth = 4;                     // a product
inline constexpr size_t kX = 0, kSecond = 1, kThird = 2;                                         // pointwise
inline constexpr size_t kSeed = 0, kOffset = 1;                                                  // random numbers
inline constexpr size_t kSink = 1;                                                               // softmax
inline constexpr size_t kWeights = 0, kStats = 1, kLargest = 2, kSums = 3;                       // its results
inline constexpr size_t kKeysLength = 1, kQueriesLength = 2, kLeft = 3, kRight = 4, kOther = 5;  // a band's mask
inline constexpr size_t kImage = 0, kFilter = 1, kResult = 2;                                    // a convolution
}  // namespace operand

}  // namespace warplens::libraries
