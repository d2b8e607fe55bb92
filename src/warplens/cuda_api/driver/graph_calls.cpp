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
int cudaGraphAddNode(const Node** out, Graph* graph, const Node* const* before, const void* edges, size_t count,
                     void* parameters);
int cudaGraphNodeSetParams(const Node* node, void* parameters);
int cudaGraphExecNodeSetParams(GraphExec* exec, const Node* node, void* parameters);
int cudaGraphConditionalHandleCreate(uint64_t* out, Graph* graph, uint32_t default_value, uint32_t flags);
int cudaGraphAddDependencies(Graph* graph, const Node* const* from, Node* const* to, const void* edges, size_t count);
int cudaGraphRemoveDependencies(Graph* graph, const Node* const* from, Node* const* to, const void* edges,
                                size_t count);
int cudaGraphGetEdges(Graph* graph, const Node** from, const Node** to, void* edges, size_t* count);
int cudaGraphNodeGetDependencies(const Node* node, const Node** nodes, void* edges, size_t* count);
int cudaGraphNodeGetDependentNodes(const Node* node, const Node** nodes, void* edges, size_t* count);
int cudaGraphExecUpdate(GraphExec* exec, Graph* graph, UpdateResult* result);
int cudaStreamGetCaptureInfo(void* stream, int* status, unsigned long long* id, Graph** graph, const Node*** before,
                             const void** edges, size_t* count);
int cudaStreamUpdateCaptureDependencies(void* stream, const Node* const* nodes, const void* edges, size_t count,
                                        unsigned flags);
}

namespace {

/// The driver's kernel nodes: the runtime's and two handles behind.
struct DriverKernelNode {
  KernelNodeParameters parameters;
  void *kernel, *context;
};
static_assert(sizeof(DriverKernelNode) == 72);

/// CUgraphNodeParams: the runtime's, but for copies, and kernels that a handle behind names.
struct DriverNode {
  int kind, room[3];
  union {
    long long words[29];
    struct {
      int flags, room;
      void* context;
      CopyOfBox box;
    } copy;
    DriverKernelNode kernel;
  };
  long long rest;
};
static_assert(sizeof(DriverNode) == 256);

bool is_memory(int kind) { return kind >= kHostMemory && kind <= kUnifiedMemory; }

auto box_of(const CopyOfBox* box) {
  return [box](Runtime&, Made* made) {
    if (box == nullptr || !is_memory(box->source.kind) || !is_memory(box->target.kind)) return cudaErrorInvalidValue;
    *made = std::make_shared<const CopyOfBox>(*box);
    return cudaSuccess;
  };
}

/// Calls `of_copy` with what makes a copy's node, or `of_other` with what the runtime's call takes.
template <typename F, typename G>
int with_node_of(DriverNode* node, F of_copy, G of_other) {
  return in_driver([&](Runtime&) {
    if (node == nullptr) return static_cast<int>(cudaErrorInvalidValue);
    if (node->kind == static_cast<int>(NodeKind::kCopy)) return of_copy(box_of(&node->copy.box));
    auto& kernel = node->kernel;
    if (node->kind == static_cast<int>(NodeKind::kKernel) && kernel.parameters.function == nullptr)
      kernel.parameters.function = kernel.kernel;
    return of_other(node);
  });
}

}  // namespace

CUDA_API int cuGraphAddNode_v2(const Node** out, Graph* graph, const Node* const* before, const void* edges,
                               size_t count, DriverNode* node) {
  return with_node_of(
      node, [&](auto made) { return add_node(out, graph, before, count, NodeKind::kCopy, made); },
      [&](void* same) { return cudaGraphAddNode(out, graph, before, edges, count, same); });
}
CUDA_API int cuGraphAddNode(const Node** out, Graph* graph, const Node* const* before, size_t count, DriverNode* node) {
  return cuGraphAddNode_v2(out, graph, before, nullptr, count, node);
}
CUDA_API int cuGraphNodeSetParams(const Node* changed, DriverNode* node) {
  return with_node_of(
      node, [&](auto made) { return change_node(changed, made); },
      [&](void* same) { return cudaGraphNodeSetParams(changed, same); });
}
CUDA_API int cuGraphExecNodeSetParams(GraphExec* exec, const Node* changed, DriverNode* node) {
  return with_node_of(
      node, [&](auto made) { return change_step(exec, changed, made); },
      [&](void* same) { return cudaGraphExecNodeSetParams(exec, changed, same); });
}
CUDA_API int cuGraphConditionalHandleCreate(uint64_t* out, Graph* graph, void*, uint32_t default_value,
                                            uint32_t flags) {
  return in_driver([&](Runtime&) { return cudaGraphConditionalHandleCreate(out, graph, default_value, flags); });
}

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
CUDA_API int cuGraphExecUpdate(GraphExec* exec, Graph* graph, const Node** wrong, int* result) {
  return in_driver([&](Runtime&) -> int {
    if (result == nullptr) return cudaErrorInvalidValue;
    UpdateResult told{};
    const int error = cudaGraphExecUpdate(exec, graph, &told);
    *result = told.result;
    if (wrong != nullptr) *wrong = told.error_node;
    return error;
  });
}
CUDA_API int cuStreamGetCaptureInfo_v2(void* stream, int* status, unsigned long long* id, Graph** graph,
                                       const Node*** before, size_t* count) {
  return on_stream(
      stream, [&](Runtime&) { return cudaStreamGetCaptureInfo(stream, status, id, graph, before, nullptr, count); });
}
CUDA_API int cuStreamGetCaptureInfo(void* stream, int* status, unsigned long long* id) {
  return cuStreamGetCaptureInfo_v2(stream, status, id, nullptr, nullptr, nullptr);
}
CUDA_API int cuStreamUpdateCaptureDependencies(void* stream, const Node* const* nodes, size_t count, unsigned flags) {
  return on_stream(stream,
                   [&](Runtime&) { return cudaStreamUpdateCaptureDependencies(stream, nodes, nullptr, count, flags); });
}
