#include "warplens/libraries/cudnn/graph_slices.h"

namespace warplens::libraries {

std::vector<size_t> axes_of_view(const GraphTensor& x, const GraphTensor& view) {
  std::vector<size_t> out;
  for (size_t i = 0; i < view.size.size(); ++i) {
    size_t found = x.size.size();
    for (size_t k = 0; k < x.size.size(); ++k) {
      const bool used = std::find(out.begin(), out.end(), k) != out.end();
      if (!used && x.size[k] == view.size[i] && (x.size[k] == 1 || x.step[k] == view.step[i])) {
        found = k;
        break;
      }
    }
    if (found == x.size.size()) return {};
    out.push_back(found);
  }
  return out.size() == x.size.size() ? out : std::vector<size_t>{};
}

namespace {

/// Whether an operation computes each part along `dim` from the same part of its operands.
bool keeps_apart(const GraphOperation& operation, size_t dim, int64_t parts) {
  const auto& [kind, inputs, outputs, mode, axis, parameters, axes, convolution] = operation;
  if (kind == OperationKind::kConvolution) return false;
  bool apart = true, all_one = true, one_of_many = false;
  each_tensor(operation, [&](const GraphTensor& tensor) {
    if (kind == OperationKind::kRandom && tensor.size.size() < 4) return;
    apart = apart && tensor.size.size() > dim + 2 && (tensor.size[dim] == 1 || tensor.size[dim] % parts == 0);
    all_one = all_one && tensor.size.size() > dim && tensor.size[dim] == 1;
  });
  for (const TensorRef& output : outputs)
    one_of_many |= output != nullptr && output->size.size() > dim && output->size[dim] == 1;
  if (!apart || (one_of_many && !all_one)) return false;
  if (kind == OperationKind::kPermute) return axes[dim] == dim;
  if (kind == OperationKind::kReshape) {
    const std::vector<size_t> view = axes_of_view(*inputs[0], *outputs[0]);
    return view.size() > dim && view[dim] == dim;
  }
  return true;
}

}  // namespace

int64_t parts_along(const Graph& graph, size_t dim) {
  int64_t least = 0;
  for (const GraphOperation& operation : graph.operations)
    each_tensor(operation, [&](const GraphTensor& tensor) {
      if (tensor.size.size() > dim && tensor.size[dim] > 1)
        least = least == 0 ? tensor.size[dim] : std::min(least, tensor.size[dim]);
    });
  for (const GraphOperation& operation : graph.operations)
    if (least == 0 || !keeps_apart(operation, dim, least)) return 1;
  return least;
}

}  // namespace warplens::libraries
