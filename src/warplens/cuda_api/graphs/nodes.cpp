#include "warplens/cuda_api/graphs/nodes.h"

#include <cstring>

#include "warplens/cuda_api/box.h"
#include "warplens/cuda_api/calls.h"
#include "warplens/cuda_api/graphs/conditional.h"

namespace warplens::cuda_api {
namespace {

/// One overload for each kind of node.
struct WorkMaker {
  Runtime& runtime;
  Work* work;

  Error operator()(std::monostate) const { return cudaSuccess; }
  Error operator()(const std::shared_ptr<KernelNode>& node) const {
    const KernelNodeParameters& p = node->parameters;
    return make_work(runtime,
                     {.function = p.function,
                      .grid = p.grid,
                      .block = p.block,
                      .cluster = node->cluster,
                      .arguments = p.arguments,
                      .dynamic_shared_bytes = p.shared_bytes,
                      .cooperative = node->cooperative},
                     work);
  }
  Error operator()(const Copy3D& all) const {
    *work = [all](Runtime& then) { return copy_volume(then, all); };
    return cudaSuccess;
  }
  Error operator()(const std::shared_ptr<const CopyOfBox>& box) const {
    *work = [box](Runtime& then) { return copy_box(then, *box); };
    return cudaSuccess;
  }
  Error operator()(const FillParameters& p) const {
    if (p.element_bytes != 1 && p.element_bytes != 2 && p.element_bytes != 4) return cudaErrorInvalidValue;
    *work = [fill = FillPattern{{p.target, p.pitch}, p.value, p.element_bytes, p.width, p.height}](Runtime& then) {
      return fill_pattern(then, fill);
    };
    return cudaSuccess;
  }
  Error operator()(const HostParameters& all) const {
    if (all.function == nullptr) return cudaErrorInvalidValue;
    *work = [all](Runtime&) {
      all.function(all.data);
      return cudaSuccess;
    };
    return cudaSuccess;
  }
  Error operator()(const ChildGraph& child) const {
    if (!knows(runtime, child.graph)) return cudaErrorInvalidValue;
    GraphExec steps;
    if (const Error error = make_steps(runtime, *child.graph, &steps); error != cudaSuccess) return error;
    *work = [steps](Runtime& then) { return run_steps(then, steps); };
    return cudaSuccess;
  }
  Error operator()(const RecordsEvent& records) const {
    if (!runtime.events.contains(records.event)) return cudaErrorInvalidValue;
    *work = [event = records.event](Runtime& then) {
      if (!then.events.contains(event)) return cudaErrorInvalidResourceHandle;
      event->recorded = true;
      event->at_ns = then.working->clock_ns;
      return cudaSuccess;
    };
    return cudaSuccess;
  }
  Error operator()(const WaitsForEvent& waits) const {
    if (!runtime.events.contains(waits.event)) return cudaErrorInvalidValue;
    *work = [event = waits.event](Runtime& then) {
      if (then.events.contains(event)) then.working->clock_ns = std::max(then.working->clock_ns, event->at_ns);
      return cudaSuccess;
    };
    return cudaSuccess;
  }
  Error operator()(const AllocationParameters&) const { return cudaSuccess; }  // it is there from the start
  Error operator()(const FreesMemory& frees) const {
    const auto address = reinterpret_cast<simt::Address>(frees.pointer);
    return runtime.give_back_graph_memory(address) ? cudaSuccess : cudaErrorInvalidValue;
  }
  Error operator()(const std::shared_ptr<ConditionalNode>& node) const {
    return make_conditional_work(runtime, *node, work);
  }
};

}  // namespace

Graph* new_graph(Runtime& runtime) {
  auto made = std::make_unique<Graph>();
  Graph* graph = made.get();
  runtime.graphs[graph] = std::move(made);
  return graph;
}

Error clone_graph(Runtime& runtime, const Graph& graph, Graph** out) {
  const std::vector<const Node*> order = in_order(graph);
  if (order.size() != graph.nodes.size() || has_conditional(graph)) return cudaErrorInvalidValue;  // a circle
  *out = new_graph(runtime);
  std::map<const Node*, const Node*> copies;
  for (const Node* node : order) {
    std::vector<const Node*> before;
    for (const Node* other : node->before) before.push_back(copies.at(other));
    Node* copy = (*out)->add(node->kind, node->work, std::move(before));
    copy->made = node->made;
    if (auto* child = std::get_if<ChildGraph>(&copy->made)) {  // its own one
      if (const Error error = clone_graph(runtime, *child->graph, &child->graph); error != cudaSuccess) return error;
    }
    copy->attributes = node->attributes;
    copy->original = node;
    copies[node] = copy;
  }
  return cudaSuccess;
}

Node* find_node(Runtime& runtime, const Node* node) {
  for (const auto& [graph, owned] : runtime.graphs) {
    const auto found = std::ranges::find(graph->nodes, node, [](const auto& each) { return each.get(); });
    if (found != graph->nodes.end()) return found->get();
  }
  return nullptr;
}

Error make_steps(Runtime& runtime, const Graph& graph, GraphExec* exec) {
  constexpr int kDeepest = 64;  // of graphs in graphs: one may have come to be in itself
  thread_local int depth = 0;
  const auto leave = [](int* d) { --*d; };
  const std::unique_ptr<int, decltype(leave)> deeper(&++depth);
  exec->steps.clear();
  exec->conditions = graph.conditions;
  const std::vector<const Node*> order = in_order(graph);
  if (depth > kDeepest || order.size() != graph.nodes.size()) return cudaErrorInvalidValue;  // a circle
  std::map<const Node*, size_t> place;
  for (const Node* node : order) {
    place[node] = exec->steps.size();
    std::vector<size_t> before;
    for (const Node* each : node->before) before.push_back(place.at(each));
    std::ranges::sort(before);
    Work work = node->work;
    if (node->kind == NodeKind::kGraph || node->kind == NodeKind::kConditional) {  // its nodes may have changed
      if (const Error error = work_of(runtime, node->made, &work); error != cudaSuccess) return error;
    }
    exec->steps.push_back({node, node->kind, std::move(before), work, work});
  }
  return cudaSuccess;
}

Error run_steps(Runtime& runtime, const GraphExec& exec) {
  assign_defaults(exec);
  for (const GraphExec::Step& step : exec.steps) {
    if (!step.work) continue;
    if (runtime.sticky != cudaSuccess) return cudaSuccess;  // a kernel went wrong: nothing comes behind it
    if (const Error error = step.work(runtime); error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

Error keep_kernel(Runtime& runtime, const KernelNodeParameters* parameters, Made* out) {
  if (parameters == nullptr) return cudaErrorInvalidValue;
  std::vector<void*> from_buffer;
  void** arguments = parameters->arguments;
  if (parameters->extra != nullptr) {
    Kernel* kernel = nullptr;
    if (arguments != nullptr) return cudaErrorInvalidValue;
    if (const Error error = find_kernel(runtime, parameters->function, &kernel); error != cudaSuccess) return error;
    auto** const extra = static_cast<void**>(parameters->extra);
    if (const Error error = arguments_in(*kernel, extra, &from_buffer); error != cudaSuccess) return error;
    arguments = from_buffer.data();
  }
  return keep_launch(runtime,
                     {.function = parameters->function,
                      .grid = parameters->grid,
                      .block = parameters->block,
                      .arguments = arguments,
                      .dynamic_shared_bytes = parameters->shared_bytes},
                     out);
}

Copy3D row_copy(void* target, const void* source, size_t size_bytes, int kind) {
  return {nullptr,
          {},
          {const_cast<void*>(source), size_bytes, size_bytes, 1},
          nullptr,
          {},
          {target, size_bytes, size_bytes, 1},
          {size_bytes, 1, 1},
          kind};
}

Error work_of(Runtime& runtime, const Made& made, Work* work) { return std::visit(WorkMaker{runtime, work}, made); }

}  // namespace warplens::cuda_api
