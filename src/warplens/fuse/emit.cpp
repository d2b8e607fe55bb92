#include "warplens/fuse/emit.h"

#include "warplens/base/text.h"
#include "warplens/fuse/emit_parts.h"

namespace warplens::fuse {

Result<GeneratedKernel> emit_kernel(const Graph& graph, const std::vector<launch::DType>& dtypes,
                                    const std::vector<launch::DType>& output_dtypes, const EmitOptions& options) {
  const EmitContext context(graph, dtypes, output_dtypes);
  WL_ASSIGN(GeneratedKernel kernel,
            graph.has_reductions() ? emit_rows(context, options) : emit_elements(context, options));
  for (size_t i = 0; i < dtypes.size(); ++i)
    kernel.inputs.push_back({graph.inputs[i].name, dtypes[i], graph.inputs[i].shape});
  for (size_t o = 0; o < output_dtypes.size(); ++o)
    kernel.outputs.push_back({graph.outputs[o].name, output_dtypes[o], graph.nodes[graph.outputs[o].node].shape});
  for (const auto* operands : {&kernel.inputs, &kernel.outputs}) {
    for (const Operand& operand : *operands) kernel.bytes += operand.bytes();
  }
  kernel.flops = graph.flops();
  return kernel;
}

}  // namespace warplens::fuse
