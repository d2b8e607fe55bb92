#include "warplens/cuda_api/graph.h"

#include <algorithm>
#include <set>

namespace warplens::cuda_api {

Node* Graph::add(NodeKind kind, Work work, std::vector<const Node*> before) {
  nodes.push_back(std::make_unique<Node>(Node{kind, std::move(work), std::move(before), {}, nullptr, {}}));
  return nodes.back().get();
}

bool Graph::has(const Node* node) const {
  return std::ranges::any_of(nodes, [&](const auto& each) { return each.get() == node; });
}

std::vector<const Node*> in_order(const Graph& graph) {
  std::vector<const Node*> order;
  std::set<const Node*> done;
  while (order.size() < graph.nodes.size()) {
    const size_t before = order.size();
    for (const auto& node : graph.nodes) {
      const bool ready = std::ranges::all_of(node->before, [&](const Node* other) { return done.contains(other); });
      if (!ready || !done.insert(node.get()).second) continue;
      order.push_back(node.get());
    }
    if (order.size() == before) return {};
  }
  return order;
}

}  // namespace warplens::cuda_api
