// CUDA kernels for a graph: vectorised loads and stores, any length, any mix of types.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "warplens/formula/graph.h"
#include "warplens/launch/dtype.h"

namespace warplens::fuse {

using formula::Formula, formula::Graph, formula::NamedShape, formula::Node, formula::Shape, formula::element_count;

struct EmitOptions {
  std::string kernel_name = "fused";
  std::string comment;  // first line of the source
  int threads = 256;    // of a block of a kernel without reductions
  int vectors = 1;      // 16-byte vectors of each input that a thread of it takes
  int elements = 16;    // that a thread of a row kernel keeps in registers, at most
};

struct Operand {
  std::string name;
  launch::DType dtype;
  Shape shape;
  int64_t bytes() const { return element_count(shape) * launch::info(dtype).size_bytes; }
};

/// A kernel whose arguments are the inputs' pointers, the outputs' pointers and, last, the number of elements of the
/// domain. It is an unsigned 32-bit number (64-bit when `wide`).
struct GeneratedKernel {
  std::string name, source;
  uint32_t grid = 1;
  std::array<uint32_t, 2> block = {1, 1};
  std::vector<Operand> inputs, outputs;
  uint64_t count = 0;
  bool wide = false;
  int64_t bytes = 0;  // inputs read once and outputs written once
  double flops = 0;
};

/// `dtypes` and `output_dtypes` are in the graph's order.
Result<GeneratedKernel> emit_kernel(const Graph& graph, const std::vector<launch::DType>& dtypes,
                                    const std::vector<launch::DType>& output_dtypes, const EmitOptions& options);

/// PyTorch's result type for `dtypes`: the widest float; f16 with bf16 gives f32; integers alone give
/// f32.
launch::DType promoted(const std::vector<launch::DType>& dtypes);

}  // namespace warplens::fuse
