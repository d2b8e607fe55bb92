// Parts of a graph that run one after the other, so that arrays between its operations stay small.
#pragma once
#include <algorithm>

#include "warplens/libraries/cudnn/graph.h"

namespace warplens::libraries {

/// A part of the images and channels (heads) of every tensor, so that arrays stay small.
struct Slice {
  int64_t count[2] = {1, 1}, index[2] = {0, 0};

  int64_t part(const Sizes& size, size_t dim) const { return size[dim] > 1 ? size[dim] / count[dim] : size[dim]; }
  int64_t first(const Sizes& size, size_t dim) const { return size[dim] > 1 ? part(size, dim) * index[dim] : 0; }
  Sizes of(const Sizes& size) const {
    Sizes out = size;
    for (size_t dim = 0; dim < std::min<size_t>(2, size.size()); ++dim) out[dim] = part(size, dim);
    return out;
  }
};

/// Its tensors, without scalars.
template <typename F>
void each_tensor(const GraphOperation& operation, F use) {
  for (const auto* tensors : {&operation.inputs, &operation.outputs})
    for (const TensorRef& tensor : *tensors)
      if (tensor != nullptr && !tensor->is_scalar()) use(*tensor);
}

/// The axis of x that each axis of a view of x is; empty where the view is none.
std::vector<size_t> axes_of_view(const GraphTensor& x, const GraphTensor& view);

/// In how many parts the images (dimension 0) or heads (1) of all tensors can be taken.
int64_t parts_along(const Graph& graph, size_t dim);

}  // namespace warplens::libraries
