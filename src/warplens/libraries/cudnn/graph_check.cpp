// What an operation of a graph needs before it can run: what is refused here computes nothing wrong later.
#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/libraries/cudnn/graph.h"
#include "warplens/libraries/cudnn/graph_pointwise.h"
#include "warplens/libraries/cudnn/graph_slices.h"
#include "warplens/libraries/cudnn/handle.h"

namespace warplens::libraries {
namespace {

constexpr int kDouble = 1;  // cudnnDataType_t

Status check_tensor(const GraphOperation& operation, const GraphTensor& tensor) {
  const auto positive = [](int64_t n) { return n >= 1; };
  if (tensor.size.empty() || tensor.size.size() > kMostDnnDims ||
      !std::all_of(tensor.size.begin(), tensor.size.end(), positive))
    return unsupported(
        fmt::format("tensor {} of a graph has sizes below 1, or not 1 to {} of them", tensor.id, kMostDnnDims));
  if (operation.kind == OperationKind::kRandom) return {};
  if (tensor.type == kDouble && operation.kind != OperationKind::kConvolution)
    return unsupported("f64 in graphs, other than in convolutions");
  if (!tensor.is_virtual && size_bytes(number_of_dnn(tensor.type)) == 0)
    return unsupported(fmt::format("tensor {} of a graph has elements of cudnnDataType_t {}", tensor.id, tensor.type));
  return {};
}

Status check_pointwise(const GraphOperation& operation) {
  const size_t inputs = inputs_of_pointwise(operation.mode), dims = operation.outputs[0]->size.size();
  if (inputs == 0) return unsupported(fmt::format("pointwise operation {} of graphs", operation.mode));
  for (size_t i = 0; i < inputs; ++i)
    if (operation.inputs[i] == nullptr || operation.inputs[i]->size.size() > dims)
      return invalid_input(
          fmt::format("pointwise operation {} without an operand of the result's dimensions", operation.mode));
  if (operation.mode == kIndexMode && (operation.axis < 0 || operation.axis >= static_cast<int64_t>(dims)))
    return invalid_input("an index along an axis that does not exist");
  return {};
}

Status check_convolution(const GraphOperation& operation) {
  bool fits = true;
  each_tensor(operation, [&](const GraphTensor& tensor) {
    fits = fits && tensor.size.size() >= 3 && tensor.size.size() <= static_cast<size_t>(kTensorDims);
  });
  return fits ? Status() : unsupported("a convolution without one to three dimensions of space");
}

}  // namespace

Status check_operation(const GraphOperation& operation) {
  Status status;
  size_t dims = 0;
  bool same_dims = true;
  each_tensor(operation, [&](const GraphTensor& tensor) {
    if (status.ok()) status = check_tensor(operation, tensor);
    same_dims = same_dims && (dims == 0 || dims == tensor.size.size());
    dims = tensor.size.size();
  });
  WL_TRY(status);
  switch (operation.kind) {
    case OperationKind::kPointwise: return check_pointwise(operation);
    case OperationKind::kConvolution: return check_convolution(operation);
    case OperationKind::kRandom: return {};
    case OperationKind::kReshape:
      if (count_of(operation.inputs[0]->size) != count_of(operation.outputs[0]->size))
        return invalid_input("a reshaping to another number of elements");
      return {};
    case OperationKind::kReduction:
      if (operation.mode < 0 || operation.mode > static_cast<int>(Reducing::kMulNoZeros))
        return unsupported(fmt::format("reduction {} of graphs", operation.mode));
      break;
    default:
      if (dims < 2) return unsupported("matrices of one dimension");
  }
  return same_dims ? Status() : unsupported("operands of different dimensions");
}

}  // namespace warplens::libraries
