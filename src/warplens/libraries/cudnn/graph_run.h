// Runs a graph of cuDNN's operations on the host. Between operations, tensors are arrays of f32. They are rounded to
// the types that the graph names.
#pragma once
#include <map>

#include "warplens/libraries/cudnn/graph.h"

namespace warplens::libraries {

struct GraphData {
  std::map<int64_t, void*> pointers;  // of tensors in memory, by their ids
  std::map<int64_t, double> scalars;  // of tensors by value
  bool tf32 = false;                  // f32 operands of products are rounded to TF32
};

Status run_graph(const Graph& graph, const GraphData& data);

/// Elements of a tensor in memory from its first to its last; with offsets, up to where the last image ends.
int64_t span_of(const GraphTensor& tensor, const GraphData& data);

/// A convolution's tensors in memory.
Tensor tensor_of(const GraphTensor& tensor, void* data);

}  // namespace warplens::libraries
