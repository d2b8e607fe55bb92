#include "warplens/cuda_api/graph_nodes.h"

namespace warplens::cuda_api {

Graph* new_graph(Runtime& runtime) {
  auto made = std::make_unique<Graph>();
  Graph* graph = made.get();
  runtime.graphs[graph] = std::move(made);
  return graph;
}

Node* find_node(Runtime& runtime, const Node* node) {
  for (const auto& [graph, owned] : runtime.graphs) {
    const auto found = std::ranges::find(graph->nodes, node, [](const auto& each) { return each.get(); });
    if (found != graph->nodes.end()) return found->get();
  }
  return nullptr;
}

Error kernel_work(Runtime& runtime, const KernelNodeParameters* parameters, Work* work) {
  if (parameters == nullptr) return cudaErrorInvalidValue;
  const KernelNodeParameters& p = *parameters;
  if (p.extra != nullptr) {
    return runtime.tell(cudaErrorNotSupported,
                        "graph kernel node: arguments in `extra` are not emulated; use kernelParams");
  }
  return make_work(runtime,
                   {.function = p.function,
                    .grid = p.grid,
                    .block = p.block,
                    .arguments = p.arguments,
                    .dynamic_shared_bytes = p.shared_bytes},
                   work);
}

Error host_work(const HostParameters* parameters, Work* work) {
  if (parameters == nullptr || parameters->function == nullptr) return cudaErrorInvalidValue;
  *work = [all = *parameters](Runtime&) {
    all.function(all.data);
    return cudaSuccess;
  };
  return cudaSuccess;
}

Error fill_work(const FillParameters* parameters, Work* work) {
  if (parameters == nullptr) return cudaErrorInvalidValue;
  const FillParameters& p = *parameters;
  if (p.element_bytes != 1 && p.element_bytes != 2 && p.element_bytes != 4) return cudaErrorInvalidValue;
  *work = [fill = FillPattern{{p.target, p.pitch}, p.value, p.element_bytes, p.width, p.height}](Runtime& then) {
    return fill_pattern(then, fill);
  };
  return cudaSuccess;
}

}  // namespace warplens::cuda_api
