// One row for each kind of operation in cuDNN's graphs: which attributes hold its tensors, its settings and the rest.
#pragma once
#include <vector>

#include "warplens/libraries/cudnn/graph.h"
#include "warplens/libraries/math/convolution.h"

namespace warplens::libraries {

/// As cudnnBackendAttributeName_t numbers them: those of operations and of their settings.
namespace attribute {
inline constexpr int kReductionOperator = 1600;
inline constexpr int kPointwiseFactor1 = 754, kPointwiseFactor2 = 755;
inline constexpr int kRandomDistribution = 2300, kRandomProbability = 2305, kRandomSeed = 2311;
inline constexpr int kMaskMode = 3007;
}  // namespace attribute

/// The attribute of a tensor. An operation may lack one that its kind never has (kNone).
struct TensorPlace {
  int attribute;
  bool required = true;
};

/// Inputs and outputs are in the order of `operand`.
struct OperationRow {
  int type;  // cudnnBackendDescriptorType_t
  const char* name;
  OperationKind kind;
  std::vector<TensorPlace> inputs, outputs;
  int settings = -1;             // the attribute that holds a descriptor of settings
  std::vector<int> others = {};  // other attributes; those of a convolution are its two factors
  ConvolutionPass pass = ConvolutionPass::kForward;
};

/// nullptr for a type that is not emulated.
const OperationRow* row_of_type(int type);
const OperationRow& softmax_row();

}  // namespace warplens::libraries
