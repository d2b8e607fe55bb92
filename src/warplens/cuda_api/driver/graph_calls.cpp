// What the driver has of graphs in a form of its own: copies as boxes, instances that need a context.
#include "warplens/cuda_api/box.h"
#include "warplens/cuda_api/driver/driver.h"
#include "warplens/cuda_api/graphs/nodes.h"

using namespace warplens;
using namespace warplens::cuda_api;

extern "C" {
int cudaGraphInstantiate(GraphExec** out, Graph* graph, unsigned long long flags);
int cudaGraphInstantiateWithParams(GraphExec** out, Graph* graph, void* parameters);
int cudaGraphKernelNodeGetParams(const Node* node, KernelNodeParameters* out);
int cudaGraphAddDependencies(Graph* graph, const Node* const* from, Node* const* to, const void* edges, size_t count);
int cudaGraphRemoveDependencies(Graph* graph, const Node* const* from, Node* const* to, const void* edges,
                                size_t count);
int cudaGraphGetEdges(Graph* graph, const Node** from, const Node** to, void* edges, size_t* count);
int cudaGraphNodeGetDependencies(const Node* node, const Node** nodes, void* edges, size_t* count);
int cudaGraphNodeGetDependentNodes(const Node* node, const Node** nodes, void* edges, size_t* count);
}

namespace {

/// The driver's kernel nodes: the runtime's and two handles behind.
struct DriverKernelNode {
  KernelNodeParameters parameters;
  void *kernel, *context;
};
static_assert(sizeof(DriverKernelNode) == 72);

bool is_memory(int kind) { return kind >= kHostMemory && kind <= kUnifiedMemory; }

auto box_of(const CopyOfBox* box) {
  return [box](Runtime&, Made* made) {
    if (box == nullptr || !is_memory(box->source.kind) || !is_memory(box->target.kind)) return cudaErrorInvalidValue;
    *made = std::make_shared<const CopyOfBox>(*box);
    return cudaSuccess;
  };
}

}  // namespace

CUDA_API int cuGraphAddMemcpyNode(const Node** out, Graph* graph, const Node* const* before, size_t count,
                                  const CopyOfBox* box, void*) {
  return in_driver([&](Runtime&) { return add_node(out, graph, before, count, NodeKind::kCopy, box_of(box)); });
}
CUDA_API int cuGraphMemcpyNodeSetParams(const Node* node, const CopyOfBox* box) {
  return in_driver([&](Runtime&) { return change_node(node, box_of(box)); });
}
CUDA_API int cuGraphExecMemcpyNodeSetParams(GraphExec* exec, const Node* node, const CopyOfBox* box, void*) {
  return in_driver([&](Runtime&) { return change_step(exec, node, box_of(box)); });
}
CUDA_API int cuGraphMemcpyNodeGetParams(const Node* node, CopyOfBox* out) {
  return in_driver([&](Runtime&) {
    return ask_node<std::shared_ptr<const CopyOfBox>>(node, out, [](const auto& made) { return *made; });
  });
}
CUDA_API int cuGraphKernelNodeGetParams(const Node* node, KernelNodeParameters* out) {
  return in_driver([&](Runtime&) { return cudaGraphKernelNodeGetParams(node, out); });
}
CUDA_API int cuGraphKernelNodeGetParams_v2(const Node* node, DriverKernelNode* out) {
  if (out == nullptr) return kDriverInvalidValue;
  *out = {};
  return in_driver([&](Runtime&) { return cudaGraphKernelNodeGetParams(node, &out->parameters); });
}
CUDA_API int cuGraphInstantiateWithFlags(GraphExec** out, Graph* graph, unsigned long long flags) {
  return in_context([&](Runtime&) { return cudaGraphInstantiate(out, graph, flags); });
}
CUDA_API int cuGraphInstantiateWithParams(GraphExec** out, Graph* graph, void* parameters) {
  return in_context([&](Runtime&) { return cudaGraphInstantiateWithParams(out, graph, parameters); });
}

// The first forms: without data of edges, and with a log, which stays empty.
CUDA_API int cuGraphInstantiate_v2(GraphExec** out, Graph* graph, const Node** wrong, char* log, size_t log_bytes) {
  if (wrong != nullptr) *wrong = nullptr;
  if (log != nullptr && log_bytes > 0) *log = '\0';
  return cuGraphInstantiateWithFlags(out, graph, 0);
}
CUDA_API int cuGraphInstantiate(GraphExec** out, Graph* graph, const Node** wrong, char* log, size_t log_bytes) {
  return cuGraphInstantiate_v2(out, graph, wrong, log, log_bytes);
}
CUDA_API int cuGraphAddDependencies(Graph* graph, const Node* const* from, Node* const* to, size_t count) {
  return in_driver([&](Runtime&) { return cudaGraphAddDependencies(graph, from, to, nullptr, count); });
}
CUDA_API int cuGraphRemoveDependencies(Graph* graph, const Node* const* from, Node* const* to, size_t count) {
  return in_driver([&](Runtime&) { return cudaGraphRemoveDependencies(graph, from, to, nullptr, count); });
}
CUDA_API int cuGraphGetEdges(Graph* graph, const Node** from, const Node** to, size_t* count) {
  return in_driver([&](Runtime&) { return cudaGraphGetEdges(graph, from, to, nullptr, count); });
}
CUDA_API int cuGraphNodeGetDependencies(const Node* node, const Node** nodes, size_t* count) {
  return in_driver([&](Runtime&) { return cudaGraphNodeGetDependencies(node, nodes, nullptr, count); });
}
CUDA_API int cuGraphNodeGetDependentNodes(const Node* node, const Node** nodes, size_t* count) {
  return in_driver([&](Runtime&) { return cudaGraphNodeGetDependentNodes(node, nodes, nullptr, count); });
}
