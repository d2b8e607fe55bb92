// Graphs: nodes of every kind added, asked for what they were made of, and changed, in graphs and in their instances.
#include <cstring>

#include "warplens/base/text.h"
#include "warplens/cuda_api/calls.h"
#include "warplens/cuda_api/graphs/conditional.h"

using namespace warplens;
using namespace warplens::cuda_api;

extern "C" {
int cudaGetSymbolAddress(void** out, const void* symbol);
int cudaGetSymbolSize(size_t* out, const void* symbol);
}

namespace {

/// cudaGraphNodeParams, with those of its kinds that are emulated.
struct NodeParameters {
  int kind, room[3];
  union {
    long long words[29];
    KernelNodeParameters kernel;
    struct {
      int flags, room[3];
      Copy3D parameters;
    } copy;
    FillParameters fill;
    HostParameters host;
    Graph* graph;
    Event* event;
    AllocationParameters allocation;
    void* freed;
    ConditionalParameters conditional;
  };
  long long rest;
};
static_assert(sizeof(NodeParameters) == 256);

Error allocate(Runtime& runtime, AllocationParameters* parameters, Made* made) {
  if (parameters == nullptr) return cudaErrorInvalidValue;
  if (const int error = cudaMalloc(&parameters->pointer, parameters->size_bytes); error != cudaSuccess)
    return static_cast<Error>(error);
  runtime.graph_memory[reinterpret_cast<simt::Address>(parameters->pointer)] = false;
  *made = *parameters;
  return cudaSuccess;
}

Error child_of(Runtime& runtime, Graph* child, Made* made) {
  if (!knows(runtime, child)) return cudaErrorInvalidValue;
  Graph* own = nullptr;
  const Error error = clone_graph(runtime, *child, &own);
  *made = ChildGraph{own};
  return error;
}

Error made_of(Runtime& runtime, NodeParameters& p, Made* made) {
  switch (static_cast<NodeKind>(p.kind)) {
    case NodeKind::kKernel: return keep_kernel(runtime, &p.kernel, made);
    case NodeKind::kFill: return *made = p.fill, cudaSuccess;
    case NodeKind::kCopy: return *made = p.copy.parameters, cudaSuccess;
    case NodeKind::kHost: return *made = p.host, cudaSuccess;
    case NodeKind::kGraph: return child_of(runtime, p.graph, made);
    case NodeKind::kEventRecord: return *made = RecordsEvent{p.event}, cudaSuccess;
    case NodeKind::kEventWait: return *made = WaitsForEvent{p.event}, cudaSuccess;
    case NodeKind::kAllocate: return allocate(runtime, &p.allocation, made);
    case NodeKind::kFree: return *made = FreesMemory{p.freed}, cudaSuccess;
    case NodeKind::kConditional: return make_conditional(runtime, &p.conditional, made);
    case NodeKind::kEmpty: return cudaSuccess;
    default:
      return runtime.tell(cudaErrorNotSupported,
                          fmt::format("cudaGraphAddNode: a node of kind {} is not emulated", p.kind));
  }
}

/// A part of a variable as an address. Errors: no such variable, a part that it does not have.
Error part_of(const void* symbol, size_t offset, size_t size_bytes, void** out) {
  size_t whole = 0;
  if (const int error = cudaGetSymbolSize(&whole, symbol); error != cudaSuccess) return static_cast<Error>(error);
  if (offset > whole || size_bytes > whole - offset) return cudaErrorInvalidValue;
  const int error = cudaGetSymbolAddress(out, symbol);
  *out = static_cast<char*>(*out) + offset;
  return static_cast<Error>(error);
}
Error to_symbol(const void* symbol, const void* source, size_t size_bytes, size_t offset, int kind, Made* made) {
  void* part = nullptr;
  const Error error = part_of(symbol, offset, size_bytes, &part);
  *made = row_copy(part, source, size_bytes, kind);
  return error;
}
Error from_symbol(void* target, const void* symbol, size_t size_bytes, size_t offset, int kind, Made* made) {
  void* part = nullptr;
  const Error error = part_of(symbol, offset, size_bytes, &part);
  *made = row_copy(target, part, size_bytes, kind);
  return error;
}

auto row(void* target, const void* source, size_t size_bytes, int kind) {
  return [=](Runtime&, Made* made) { return *made = row_copy(target, source, size_bytes, kind), cudaSuccess; };
}

constexpr auto kAsItIs = [](const auto& made) { return made; };
constexpr auto kParameters = [](const std::shared_ptr<KernelNode>& made) { return made->parameters; };

}  // namespace

CUDA_API int cudaGraphAddKernelNode(const Node** out, Graph* graph, const Node* const* before, size_t count,
                                    const KernelNodeParameters* parameters) {
  return add_node(out, graph, before, count, NodeKind::kKernel,
                  [&](Runtime& runtime, Made* made) { return keep_kernel(runtime, parameters, made); });
}
CUDA_API int cudaGraphAddMemcpyNode(const Node** out, Graph* graph, const Node* const* before, size_t count,
                                    const Copy3D* parameters) {
  return add_node(out, graph, before, count, NodeKind::kCopy, copied(parameters));
}
CUDA_API int cudaGraphAddMemcpyNode1D(const Node** out, Graph* graph, const Node* const* before, size_t count,
                                      void* target, const void* source, size_t size_bytes, int kind) {
  constexpr int kKinds = 5;
  if (kind < 0 || kind >= kKinds) return refused(cudaErrorInvalidMemcpyDirection);
  return add_node(out, graph, before, count, NodeKind::kCopy, row(target, source, size_bytes, kind));
}
CUDA_API int cudaGraphAddMemcpyNodeToSymbol(const Node** out, Graph* graph, const Node* const* before, size_t count,
                                            const void* symbol, const void* source, size_t size_bytes, size_t offset,
                                            int kind) {
  return add_node(out, graph, before, count, NodeKind::kCopy,
                  [&](Runtime&, Made* made) { return to_symbol(symbol, source, size_bytes, offset, kind, made); });
}
CUDA_API int cudaGraphAddMemcpyNodeFromSymbol(const Node** out, Graph* graph, const Node* const* before, size_t count,
                                              void* target, const void* symbol, size_t size_bytes, size_t offset,
                                              int kind) {
  return add_node(out, graph, before, count, NodeKind::kCopy,
                  [&](Runtime&, Made* made) { return from_symbol(target, symbol, size_bytes, offset, kind, made); });
}
CUDA_API int cudaGraphAddMemsetNode(const Node** out, Graph* graph, const Node* const* before, size_t count,
                                    const FillParameters* parameters) {
  if (parameters != nullptr && parameters->target == nullptr) return refused(cudaErrorInvalidValue);
  return add_node(out, graph, before, count, NodeKind::kFill, copied(parameters));
}
CUDA_API int cudaGraphAddHostNode(const Node** out, Graph* graph, const Node* const* before, size_t count,
                                  const HostParameters* parameters) {
  return add_node(out, graph, before, count, NodeKind::kHost, copied(parameters));
}
CUDA_API int cudaGraphAddEmptyNode(const Node** out, Graph* graph, const Node* const* before, size_t count) {
  return add_node(out, graph, before, count, NodeKind::kEmpty, [](Runtime&, Made*) { return cudaSuccess; });
}
CUDA_API int cudaGraphAddChildGraphNode(const Node** out, Graph* graph, const Node* const* before, size_t count,
                                        Graph* child) {
  return add_node(out, graph, before, count, NodeKind::kGraph,
                  [&](Runtime& runtime, Made* made) { return child_of(runtime, child, made); });
}
CUDA_API int cudaGraphAddEventRecordNode(const Node** out, Graph* graph, const Node* const* before, size_t count,
                                         Event* event) {
  const RecordsEvent made{event};
  return add_node(out, graph, before, count, NodeKind::kEventRecord, copied(&made));
}
CUDA_API int cudaGraphAddEventWaitNode(const Node** out, Graph* graph, const Node* const* before, size_t count,
                                       Event* event) {
  const WaitsForEvent made{event};
  return add_node(out, graph, before, count, NodeKind::kEventWait, copied(&made));
}
CUDA_API int cudaGraphAddMemAllocNode(const Node** out, Graph* graph, const Node* const* before, size_t count,
                                      AllocationParameters* parameters) {
  return add_node(out, graph, before, count, NodeKind::kAllocate,
                  [&](Runtime& runtime, Made* made) { return allocate(runtime, parameters, made); });
}
CUDA_API int cudaGraphAddMemFreeNode(const Node** out, Graph* graph, const Node* const* before, size_t count,
                                     void* pointer) {
  const FreesMemory made{pointer};
  return add_node(out, graph, before, count, NodeKind::kFree, copied(&made));
}
CUDA_API int cudaGraphAddNode(const Node** out, Graph* graph, const Node* const* before, const void*, size_t count,
                              NodeParameters* p) {
  if (p == nullptr) return cudaErrorInvalidValue;
  return add_node(out, graph, before, count, static_cast<NodeKind>(p->kind),
                  [&](Runtime& runtime, Made* made) { return made_of(runtime, *p, made); });
}

CUDA_API int cudaGraphKernelNodeGetParams(const Node* node, KernelNodeParameters* out) {
  return ask_node<std::shared_ptr<KernelNode>>(node, out, kParameters);
}
CUDA_API int cudaGraphMemcpyNodeGetParams(const Node* node, Copy3D* out) {
  return ask_node<Copy3D>(node, out, kAsItIs);
}
CUDA_API int cudaGraphMemsetNodeGetParams(const Node* node, FillParameters* out) {
  return ask_node<FillParameters>(node, out, kAsItIs);
}
CUDA_API int cudaGraphHostNodeGetParams(const Node* node, HostParameters* out) {
  return ask_node<HostParameters>(node, out, kAsItIs);
}
CUDA_API int cudaGraphMemAllocNodeGetParams(const Node* node, AllocationParameters* out) {
  return ask_node<AllocationParameters>(node, out, kAsItIs);
}
CUDA_API int cudaGraphMemFreeNodeGetParams(const Node* node, void** out) {
  return ask_node<FreesMemory>(node, out, [](const FreesMemory& made) { return made.pointer; });
}
CUDA_API int cudaGraphChildGraphNodeGetGraph(const Node* node, Graph** out) {
  return ask_node<ChildGraph>(node, out, [](const ChildGraph& made) { return made.graph; });
}
CUDA_API int cudaGraphEventRecordNodeGetEvent(const Node* node, Event** out) {
  return ask_node<RecordsEvent>(node, out, [](const RecordsEvent& made) { return made.event; });
}
CUDA_API int cudaGraphEventWaitNodeGetEvent(const Node* node, Event** out) {
  return ask_node<WaitsForEvent>(node, out, [](const WaitsForEvent& made) { return made.event; });
}

CUDA_API int cudaGraphKernelNodeSetParams(const Node* node, const KernelNodeParameters* parameters) {
  return change_node(node, [&](Runtime& runtime, Made* made) { return keep_kernel(runtime, parameters, made); });
}
CUDA_API int cudaGraphMemcpyNodeSetParams(const Node* node, const Copy3D* parameters) {
  return change_node(node, copied(parameters));
}
CUDA_API int cudaGraphMemcpyNodeSetParams1D(const Node* node, void* target, const void* source, size_t size_bytes,
                                            int kind) {
  return change_node(node, row(target, source, size_bytes, kind));
}
CUDA_API int cudaGraphMemcpyNodeSetParamsToSymbol(const Node* node, const void* symbol, const void* source,
                                                  size_t size_bytes, size_t offset, int kind) {
  return change_node(node,
                     [&](Runtime&, Made* made) { return to_symbol(symbol, source, size_bytes, offset, kind, made); });
}
CUDA_API int cudaGraphMemcpyNodeSetParamsFromSymbol(const Node* node, void* target, const void* symbol,
                                                    size_t size_bytes, size_t offset, int kind) {
  return change_node(node,
                     [&](Runtime&, Made* made) { return from_symbol(target, symbol, size_bytes, offset, kind, made); });
}
CUDA_API int cudaGraphMemsetNodeSetParams(const Node* node, const FillParameters* parameters) {
  return change_node(node, copied(parameters));
}
CUDA_API int cudaGraphHostNodeSetParams(const Node* node, const HostParameters* parameters) {
  return change_node(node, copied(parameters));
}
CUDA_API int cudaGraphEventRecordNodeSetEvent(const Node* node, Event* event) {
  const RecordsEvent made{event};
  return change_node(node, copied(&made));
}
CUDA_API int cudaGraphEventWaitNodeSetEvent(const Node* node, Event* event) {
  const WaitsForEvent made{event};
  return change_node(node, copied(&made));
}
CUDA_API int cudaGraphNodeSetParams(const Node* node, NodeParameters* p) {
  if (p == nullptr) return cudaErrorInvalidValue;
  return change_node(node, [&](Runtime& runtime, Made* made) { return made_of(runtime, *p, made); });
}

CUDA_API int cudaGraphExecKernelNodeSetParams(GraphExec* exec, const Node* node,
                                              const KernelNodeParameters* parameters) {
  return change_step(exec, node, [&](Runtime& runtime, Made* made) { return keep_kernel(runtime, parameters, made); });
}
CUDA_API int cudaGraphExecMemcpyNodeSetParams(GraphExec* exec, const Node* node, const Copy3D* parameters) {
  return change_step(exec, node, copied(parameters));
}
CUDA_API int cudaGraphExecMemcpyNodeSetParams1D(GraphExec* exec, const Node* node, void* target, const void* source,
                                                size_t size_bytes, int kind) {
  return change_step(exec, node, row(target, source, size_bytes, kind));
}
CUDA_API int cudaGraphExecMemcpyNodeSetParamsToSymbol(GraphExec* exec, const Node* node, const void* symbol,
                                                      const void* source, size_t size_bytes, size_t offset, int kind) {
  return change_step(exec, node,
                     [&](Runtime&, Made* made) { return to_symbol(symbol, source, size_bytes, offset, kind, made); });
}
CUDA_API int cudaGraphExecMemcpyNodeSetParamsFromSymbol(GraphExec* exec, const Node* node, void* target,
                                                        const void* symbol, size_t size_bytes, size_t offset,
                                                        int kind) {
  return change_step(exec, node,
                     [&](Runtime&, Made* made) { return from_symbol(target, symbol, size_bytes, offset, kind, made); });
}
CUDA_API int cudaGraphExecMemsetNodeSetParams(GraphExec* exec, const Node* node, const FillParameters* parameters) {
  return change_step(exec, node, copied(parameters));
}
CUDA_API int cudaGraphExecHostNodeSetParams(GraphExec* exec, const Node* node, const HostParameters* parameters) {
  return change_step(exec, node, copied(parameters));
}
CUDA_API int cudaGraphExecChildGraphNodeSetParams(GraphExec* exec, const Node* node, Graph* child) {
  return change_step(exec, node, [&](Runtime& runtime, Made* made) { return child_of(runtime, child, made); });
}
CUDA_API int cudaGraphExecEventRecordNodeSetEvent(GraphExec* exec, const Node* node, Event* event) {
  const RecordsEvent made{event};
  return change_step(exec, node, copied(&made));
}
CUDA_API int cudaGraphExecEventWaitNodeSetEvent(GraphExec* exec, const Node* node, Event* event) {
  const WaitsForEvent made{event};
  return change_step(exec, node, copied(&made));
}
CUDA_API int cudaGraphExecNodeSetParams(GraphExec* exec, const Node* node, NodeParameters* p) {
  if (p == nullptr) return cudaErrorInvalidValue;
  return change_step(exec, node, [&](Runtime& runtime, Made* made) { return made_of(runtime, *p, made); });
}
