// Graphs: the edges between nodes, made and asked for.
#include "warplens/cuda_api/graphs/nodes.h"

using namespace warplens;
using namespace warplens::cuda_api;

namespace {

/// As many as there is room for; `count` is then how many there are.
void give_nodes(const std::vector<const Node*>& all, const Node** nodes, size_t* count) {
  const size_t room = nodes != nullptr ? std::min(*count, all.size()) : 0;
  std::copy_n(all.begin(), room, nodes);
  *count = nodes != nullptr ? room : all.size();
}

/// Calls `use` with each pair of nodes that an edge joins.
template <typename F>
int with_edges(Graph* graph, const Node* const* from, Node* const* to, size_t count, F use,
               const char* name = __builtin_FUNCTION()) {
  return call(
      [&](Runtime& runtime) {
        if (!knows(runtime, graph) || (count > 0 && (from == nullptr || to == nullptr))) return cudaErrorInvalidValue;
        for (size_t i = 0; i < count; ++i) {
          if (!graph->has(from[i]) || !graph->has(to[i])) return cudaErrorInvalidValue;
          if (const Error error = use(from[i], *to[i]); error != cudaSuccess) return error;
        }
        return cudaSuccess;
      },
      name);
}

}  // namespace

CUDA_API int cudaGraphAddDependencies(Graph* graph, const Node* const* from, Node* const* to, const void*,
                                      size_t count) {
  return with_edges(graph, from, to, count, [](const Node* before, Node& after) {
    if (before == &after || std::ranges::find(after.before, before) != after.before.end()) return cudaErrorInvalidValue;
    after.before.push_back(before);
    return cudaSuccess;
  });
}
CUDA_API int cudaGraphRemoveDependencies(Graph* graph, const Node* const* from, Node* const* to, const void*,
                                         size_t count) {
  return with_edges(graph, from, to, count, [](const Node* before, Node& after) {
    return std::erase(after.before, before) > 0 ? cudaSuccess : cudaErrorInvalidValue;
  });
}

CUDA_API int cudaGraphGetRootNodes(Graph* graph, const Node** nodes, size_t* count) {
  return call([&](Runtime& runtime) {
    if (!knows(runtime, graph) || count == nullptr) return cudaErrorInvalidValue;
    std::vector<const Node*> roots;
    for (const auto& node : graph->nodes) {
      if (node->before.empty()) roots.push_back(node.get());
    }
    give_nodes(roots, nodes, count);
    return cudaSuccess;
  });
}
CUDA_API int cudaGraphGetEdges(Graph* graph, const Node** from, const Node** to, void*, size_t* count) {
  return call([&](Runtime& runtime) {
    if (!knows(runtime, graph) || count == nullptr) return cudaErrorInvalidValue;
    std::vector<const Node*> sources, targets;
    for (const auto& node : graph->nodes) {
      for (const Node* other : node->before) {
        sources.push_back(other);
        targets.push_back(node.get());
      }
    }
    size_t room = *count;
    give_nodes(sources, from, &room);
    give_nodes(targets, to, count);
    return cudaSuccess;
  });
}
CUDA_API int cudaGraphNodeGetDependencies(const Node* node, const Node** nodes, void*, size_t* count) {
  return call([&](Runtime& runtime) {
    const Node* found = find_node(runtime, node);
    if (found == nullptr || count == nullptr) return cudaErrorInvalidValue;
    give_nodes(found->before, nodes, count);
    return cudaSuccess;
  });
}
CUDA_API int cudaGraphNodeGetDependentNodes(const Node* node, const Node** nodes, void*, size_t* count) {
  return call([&](Runtime& runtime) {
    if (find_node(runtime, node) == nullptr || count == nullptr) return cudaErrorInvalidValue;
    std::vector<const Node*> after;
    for (const auto& [graph, owned] : runtime.graphs) {
      if (!graph->has(node)) continue;
      for (const auto& other : graph->nodes)
        after.insert(after.end(), std::ranges::count(other->before, node), other.get());
    }
    give_nodes(after, nodes, count);
    return cudaSuccess;
  });
}
