// Graphs: nodes beyond the first few kinds, what can be asked of nodes, and their parameters changed.
#include "warplens/cuda_api/calls.h"
#include "warplens/cuda_api/graph_nodes.h"

using namespace warplens;
using namespace warplens::cuda_api;

namespace {

struct AllocationParameters {
  int kind, handles, location, device;
  void* rest;
  size_t most_bytes;
  uint8_t room[56];
  const void* access;
  size_t access_count, size_bytes;
  void* pointer;
};
static_assert(sizeof(AllocationParameters) == 120);

Error run_all(Runtime& runtime, const std::vector<Work>& works) {
  for (const Work& work : works) {
    if (!work) continue;
    if (const Error error = work(runtime); error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

std::vector<Work> works_of(const Graph& graph) {
  std::vector<Work> out;
  for (const Node* node : in_order(graph)) out.push_back(node->work);
  return out;
}

Error allocation_work(Runtime& runtime, AllocationParameters* parameters) {
  if (const int error = cudaMalloc(&parameters->pointer, parameters->size_bytes); error != cudaSuccess)
    return static_cast<Error>(error);
  runtime.graph_memory.insert(reinterpret_cast<simt::Address>(parameters->pointer));
  return cudaSuccess;
}

/// The step of an instance that a node became.
template <typename F>
int with_step(GraphExec* exec, const Node* node, F use, const char* name = __builtin_FUNCTION()) {
  return call(
      [&](Runtime& runtime) {
        if (!runtime.graph_execs.contains(exec)) return cudaErrorInvalidValue;
        const auto step = std::ranges::find(exec->steps, node, &GraphExec::Step::node);
        return step == exec->steps.end() ? cudaErrorInvalidValue : use(runtime, *step);
      },
      name);
}

template <typename F>
int with_node(const Node* node, F use, const char* name = __builtin_FUNCTION()) {
  return call(
      [&](Runtime& runtime) {
        Node* found = find_node(runtime, node);
        return found == nullptr ? cudaErrorInvalidValue : use(runtime, *found);
      },
      name);
}

Work copy_work(void* target, const void* source, size_t size_bytes, int kind) {
  return [=](Runtime& then) { return copy(then, target, source, size_bytes, kind); };
}

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
    AllocationParameters allocation;
    void* freed;
  };
  long long rest;
};
static_assert(sizeof(NodeParameters) == 256);

}  // namespace

CUDA_API int cudaGraphAddMemcpyNode(const Node** out, Graph* graph, const Node* const* before, size_t count,
                                    const Copy3D* parameters) {
  return add_node(out, graph, before, count, NodeKind::kCopy, [&](Runtime&, Work* work) {
    if (parameters == nullptr) return cudaErrorInvalidValue;
    *work = [all = *parameters](Runtime& then) { return copy_volume(then, all); };
    return cudaSuccess;
  });
}

CUDA_API int cudaGraphAddChildGraphNode(const Node** out, Graph* graph, const Node* const* before, size_t count,
                                        Graph* child) {
  return add_node(out, graph, before, count, NodeKind::kGraph, [&](Runtime& runtime, Work* work) {
    if (!knows(runtime, child)) return cudaErrorInvalidValue;
    *work = [works = works_of(*child)](Runtime& then) { return run_all(then, works); };
    return cudaSuccess;
  });
}

CUDA_API int cudaGraphAddEventRecordNode(const Node** out, Graph* graph, const Node* const* before, size_t count,
                                         Event* event) {
  return add_node(out, graph, before, count, NodeKind::kEventRecord, [&](Runtime& runtime, Work* work) {
    if (!runtime.events.contains(event)) return cudaErrorInvalidValue;
    *work = [=](Runtime& then) {
      if (!then.events.contains(event)) return cudaErrorInvalidResourceHandle;
      event->recorded = true;
      event->at_ns = then.working->clock_ns;
      return cudaSuccess;
    };
    return cudaSuccess;
  });
}
CUDA_API int cudaGraphAddEventWaitNode(const Node** out, Graph* graph, const Node* const* before, size_t count,
                                       Event* event) {
  return add_node(out, graph, before, count, NodeKind::kEventWait, [&](Runtime& runtime, Work* work) {
    if (!runtime.events.contains(event)) return cudaErrorInvalidValue;
    *work = [=](Runtime& then) {
      if (then.events.contains(event)) then.working->clock_ns = std::max(then.working->clock_ns, event->at_ns);
      return cudaSuccess;
    };
    return cudaSuccess;
  });
}

CUDA_API int cudaGraphAddMemAllocNode(const Node** out, Graph* graph, const Node* const* before, size_t count,
                                      AllocationParameters* parameters) {
  return add_node(out, graph, before, count, NodeKind::kAllocate, [&](Runtime& runtime, Work*) {
    return parameters != nullptr ? allocation_work(runtime, parameters) : cudaErrorInvalidValue;
  });
}
CUDA_API int cudaGraphAddMemFreeNode(const Node** out, Graph* graph, const Node* const* before, size_t count,
                                     void* pointer) {
  return add_node(out, graph, before, count, NodeKind::kFree, [&](Runtime& runtime, Work*) {
    const bool known = runtime.graph_memory.contains(reinterpret_cast<simt::Address>(pointer));
    return known ? cudaSuccess : cudaErrorInvalidValue;
  });
}
CUDA_API int cudaDeviceGraphMemTrim(int) {
  return call([](Runtime&) { return cudaSuccess; });
}
CUDA_API int cudaDeviceGetGraphMemAttribute(int, int, uint64_t* value) {
  return call([&](Runtime& runtime) {
    if (value == nullptr) return cudaErrorInvalidValue;
    *value = 0;
    for (const simt::Address address : runtime.graph_memory) {
      if (const auto found = runtime.allocations.find(address); found != runtime.allocations.end())
        *value += found->second.size_bytes;
    }
    return cudaSuccess;
  });
}
CUDA_API int cudaDeviceSetGraphMemAttribute(int, int, uint64_t*) {
  return call([](Runtime&) { return cudaSuccess; });
}

CUDA_API int cudaGraphAddNode(const Node** out, Graph* graph, const Node* const* before, const void*, size_t count,
                              NodeParameters* p) {
  if (p == nullptr) return cudaErrorInvalidValue;
  const int error =
      add_node(out, graph, before, count, static_cast<NodeKind>(p->kind), [&](Runtime& runtime, Work* work) {
        switch (static_cast<NodeKind>(p->kind)) {
          case NodeKind::kKernel: return kernel_work(runtime, &p->kernel, work);
          case NodeKind::kFill: return fill_work(&p->fill, work);
          case NodeKind::kCopy:
            *work = [all = p->copy.parameters](Runtime& then) { return copy_volume(then, all); };
            return cudaSuccess;
          case NodeKind::kHost: return host_work(&p->host, work);
          case NodeKind::kAllocate: return allocation_work(runtime, &p->allocation);
          case NodeKind::kEmpty:
          case NodeKind::kFree: return cudaSuccess;
          default:
            return runtime.tell(cudaErrorNotSupported,
                                "cudaGraphAddNode: a node of this kind (conditional nodes among them) is not emulated");
        }
      });
  return error;
}

CUDA_API int cudaGraphClone(Graph** out, Graph* graph) {
  return call([&](Runtime& runtime) {
    if (!knows(runtime, graph) || out == nullptr) return cudaErrorInvalidValue;
    const std::vector<const Node*> order = in_order(*graph);
    if (order.size() != graph->nodes.size()) return cudaErrorInvalidValue;  // a circle
    Graph* made = new_graph(runtime);
    std::map<const Node*, const Node*> copies;
    for (const Node* node : order) {
      std::vector<const Node*> before;
      for (const Node* other : node->before) before.push_back(copies.at(other));
      copies[node] = made->add(node->kind, node->work, std::move(before));
    }
    *out = made;
    return cudaSuccess;
  });
}

CUDA_API int cudaGraphKernelNodeSetParams(const Node* node, const KernelNodeParameters* parameters) {
  return with_node(node, [&](Runtime& runtime, Node& found) { return kernel_work(runtime, parameters, &found.work); });
}
CUDA_API int cudaGraphMemcpyNodeSetParams1D(const Node* node, void* target, const void* source, size_t size_bytes,
                                            int kind) {
  return with_node(node, [&](Runtime&, Node& found) {
    found.work = copy_work(target, source, size_bytes, kind);
    return cudaSuccess;
  });
}
CUDA_API int cudaGraphMemcpyNodeSetParams(const Node* node, const Copy3D* parameters) {
  return with_node(node, [&](Runtime&, Node& found) {
    if (parameters == nullptr) return cudaErrorInvalidValue;
    found.work = [all = *parameters](Runtime& then) { return copy_volume(then, all); };
    return cudaSuccess;
  });
}
CUDA_API int cudaGraphMemsetNodeSetParams(const Node* node, const FillParameters* parameters) {
  return with_node(node, [&](Runtime&, Node& found) { return fill_work(parameters, &found.work); });
}
CUDA_API int cudaGraphExecMemcpyNodeSetParams1D(GraphExec* exec, const Node* node, void* target, const void* source,
                                                size_t size_bytes, int kind) {
  return with_step(exec, node, [&](Runtime&, GraphExec::Step& step) {
    step.work = copy_work(target, source, size_bytes, kind);
    return cudaSuccess;
  });
}
CUDA_API int cudaGraphExecMemcpyNodeSetParams(GraphExec* exec, const Node* node, const Copy3D* parameters) {
  return with_step(exec, node, [&](Runtime&, GraphExec::Step& step) {
    if (parameters == nullptr) return cudaErrorInvalidValue;
    step.work = [all = *parameters](Runtime& then) { return copy_volume(then, all); };
    return cudaSuccess;
  });
}
CUDA_API int cudaGraphExecMemsetNodeSetParams(GraphExec* exec, const Node* node, const FillParameters* parameters) {
  return with_step(exec, node, [&](Runtime&, GraphExec::Step& step) { return fill_work(parameters, &step.work); });
}
CUDA_API int cudaGraphExecHostNodeSetParams(GraphExec* exec, const Node* node, const HostParameters* parameters) {
  return with_step(exec, node, [&](Runtime&, GraphExec::Step& step) { return host_work(parameters, &step.work); });
}
CUDA_API int cudaGraphNodeSetEnabled(GraphExec* exec, const Node* node, unsigned enabled) {
  return with_step(exec, node, [&](Runtime&, GraphExec::Step& step) {
    step.work = enabled != 0 ? step.own : Work();
    return cudaSuccess;
  });
}
CUDA_API int cudaGraphDestroyNode(const Node* node) {
  return call([&](Runtime& runtime) {
    for (const auto& [graph, owned] : runtime.graphs) {
      if (!graph->has(node)) continue;
      for (const auto& other : graph->nodes) std::erase(other->before, node);
      std::erase_if(graph->nodes, [&](const auto& each) { return each.get() == node; });
      return cudaSuccess;
    }
    return cudaErrorInvalidValue;
  });
}
