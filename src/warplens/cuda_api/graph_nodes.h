// What the calls that build graphs share: the parameters of nodes, and how a node comes to be.
#pragma once
#include <algorithm>

#include "warplens/cuda_api/copies.h"
#include "warplens/cuda_api/launch.h"

namespace warplens::cuda_api {

struct KernelNodeParameters {
  void* function;
  Dim3 grid, block;
  uint32_t shared_bytes;
  void** arguments;
  void** extra;
};
static_assert(sizeof(KernelNodeParameters) == 56);

struct FillParameters {
  void* target;
  size_t pitch;
  uint32_t value, element_bytes;
  size_t width, height;  // elements, rows
};

struct HostParameters {
  void (*function)(void*);
  void* data;
};

inline bool knows(const Runtime& runtime, Graph* graph) { return runtime.graphs.contains(graph); }
Graph* new_graph(Runtime& runtime);
/// The node's own object, or nullptr.
Node* find_node(Runtime& runtime, const Node* node);
/// What a node of these parameters does. Errors: those of make_work; arguments in `extra`.
Error kernel_work(Runtime& runtime, const KernelNodeParameters* parameters, Work* work);
Error fill_work(const FillParameters* parameters, Work* work);
Error host_work(const HostParameters* parameters, Work* work);

/// Adds a node whose work `make` makes. Errors: no such graph, a dependency that is none of its nodes, those of `make`.
template <typename F>
int add_node(const Node** out, Graph* graph, const Node* const* before, size_t count, NodeKind kind, F make) {
  return call([&](Runtime& runtime) {
    if (!knows(runtime, graph) || out == nullptr || (before == nullptr && count > 0)) return cudaErrorInvalidValue;
    if (count > graph->nodes.size()) return cudaErrorInvalidValue;
    std::vector<const Node*> all(before, before + count);
    if (!std::ranges::all_of(all, [&](const Node* node) { return graph->has(node); })) return cudaErrorInvalidValue;
    Work work;
    if (const Error error = make(runtime, &work); error != cudaSuccess) return error;
    *out = graph->add(kind, std::move(work), std::move(all));
    return cudaSuccess;
  });
}

}  // namespace warplens::cuda_api
