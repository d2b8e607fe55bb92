// The shared part of the calls that build graphs: adding a node, and its work.
#pragma once
#include <algorithm>

#include "warplens/cuda_api/copies.h"
#include "warplens/cuda_api/launch.h"

namespace warplens::cuda_api {

inline bool knows(const Runtime& runtime, Graph* graph) { return runtime.graphs.contains(graph); }
Graph* new_graph(Runtime& runtime);
/// Errors: nodes that wait for each other in a circle, conditional nodes.
Error clone_graph(Runtime& runtime, const Graph& graph, Graph** out);
/// Releases the user objects that a graph holds.
void release_kept(const Graph& graph);
/// The node's own object, or nullptr.
Node* find_node(Runtime& runtime, const Node* node);
/// Its steps, from its nodes' present parameters. Errors: as clone_graph's.
Error make_steps(Runtime& runtime, const Graph& graph, GraphExec* exec);
Error run_steps(Runtime& runtime, const GraphExec& exec);

/// keep_launch() of a node's parameters. Errors: also those of arguments in `extra`.
Error keep_kernel(Runtime& runtime, const KernelNodeParameters* parameters, Made* out);
/// A copy of one row.
Copy3D row_copy(void* target, const void* source, size_t size_bytes, int kind);
/// The work of a node with these parameters. Errors: those of a launch; invalid parameters, destroyed events.
Error work_of(Runtime& runtime, const Made& made, Work* work);

/// Adds a node with the parameters that `make` returns. Errors: no such graph, a dependency that is not one of its
/// nodes, those of `make` and of work_of.
template <typename F>
int add_node(const Node** out, Graph* graph, const Node* const* before, size_t count, NodeKind kind, F make,
             const char* name = __builtin_FUNCTION()) {
  return call(
      [&](Runtime& runtime) {
        if (!knows(runtime, graph) || out == nullptr || (before == nullptr && count > 0)) return cudaErrorInvalidValue;
        if (count > graph->nodes.size()) return cudaErrorInvalidValue;
        std::vector<const Node*> all(before, before + count);
        if (!std::ranges::all_of(all, [&](const Node* node) { return graph->has(node); })) return cudaErrorInvalidValue;
        Made made;
        Work work;
        if (const Error error = make(runtime, &made); error != cudaSuccess) return error;
        if (const Error error = work_of(runtime, made, &work); error != cudaSuccess) return error;
        Node* node = graph->add(kind, std::move(work), std::move(all));
        node->made = std::move(made);
        *out = node;
        return cudaSuccess;
      },
      name);
}

/// Dereferences the program's pointer; null is an error.
template <typename T>
auto copied(const T* parameters) {
  return [parameters](Runtime&, Made* made) {
    if (parameters == nullptr) return cudaErrorInvalidValue;
    *made = *parameters;
    return cudaSuccess;
  };
}

/// add_node() of parameters that the program points at.
template <typename T>
int add_node_of(const Node** out, Graph* graph, const Node* const* before, size_t count, NodeKind kind,
                const T* parameters, const char* name = __builtin_FUNCTION()) {
  return add_node(out, graph, before, count, kind, copied(parameters), name);
}

/// The step of an instance that a node became. Errors: no such instance or step, those of `use`.
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

/// Makes a node of something else.
template <typename F>
int change_node(const Node* node, F make, const char* name = __builtin_FUNCTION()) {
  return with_node(
      node,
      [&](Runtime& runtime, Node& found) {
        Made made;
        Work work;
        if (const Error error = make(runtime, &made); error != cudaSuccess) return error;
        if (const Error error = work_of(runtime, made, &work); error != cudaSuccess) return error;
        found.work = std::move(work);
        found.made = std::move(made);
        return cudaSuccess;
      },
      name);
}

/// Makes the step of an instance that a node became of something else.
template <typename F>
int change_step(GraphExec* exec, const Node* node, F make, const char* name = __builtin_FUNCTION()) {
  return with_step(
      exec, node,
      [&](Runtime& runtime, GraphExec::Step& step) {
        Made made;
        if (const Error error = make(runtime, &made); error != cudaSuccess) return error;
        const bool is_on = static_cast<bool>(step.work);
        if (const Error error = work_of(runtime, made, &step.own); error != cudaSuccess) return error;
        if (is_on) step.work = step.own;
        return cudaSuccess;
      },
      name);
}

/// The parameters of a node, if it has this kind.
template <typename T, typename Out, typename F>
int ask_node(const Node* node, Out* out, F give, const char* name = __builtin_FUNCTION()) {
  return with_node(
      node,
      [&](Runtime& runtime, Node& found) {
        const T* made = std::get_if<T>(&found.made);
        if (out == nullptr) return cudaErrorInvalidValue;
        if (made != nullptr) return *out = give(*made), cudaSuccess;
        const bool captured = found.kind == NodeKind::kCopy || found.kind == NodeKind::kFill;
        if (!captured || !std::holds_alternative<std::monostate>(found.made)) return cudaErrorInvalidValue;
        return runtime.tell(
            cudaErrorNotSupported,
            std::string(name) + ": the parameters of captured copies and fills are not kept: add the node by itself");
      },
      name);
}

}  // namespace warplens::cuda_api
