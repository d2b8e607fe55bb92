// CUDA graphs: work that is kept, by capturing streams or by adding nodes, and done again and again.
#pragma once
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "warplens/cuda_api/abi.h"

namespace warplens::cuda_api {

struct Runtime;

/// Something a stream does: a launch, a copy, a fill, a host function, the record of an event.
using Work = std::function<Error(Runtime&)>;

/// As cudaGraphNodeType counts them.
enum class NodeKind : int {
  kKernel = 0,
  kCopy = 1,
  kFill = 2,
  kHost = 3,
  kGraph = 4,
  kEmpty = 5,
  kEventWait = 6,
  kEventRecord = 7,
  kAllocate = 10,
  kFree = 11,
};

struct Node {
  NodeKind kind = NodeKind::kEmpty;
  Work work;                        // none: an empty node
  std::vector<const Node*> before;  // what must be done first
};

struct Graph {
  std::vector<std::unique_ptr<Node>> nodes;  // in the order in which they were added
  const Node* latest = nullptr;              // what a captured stream's next node will wait for
  Node* add(NodeKind kind, Work work, std::vector<const Node*> before);
  bool has(const Node* node) const;
};

/// A graph made ready: its nodes one after another, each behind those it waits for.
struct GraphExec {
  struct Step {
    const Node* node;  // a handle: its graph may be gone
    Work work;         // none: it is switched off
    Work own;
  };
  std::vector<Step> steps;
};

/// Nodes in an order that their dependencies allow, as added where they allow it; empty when they wait for each other
/// in a circle.
std::vector<const Node*> in_order(const Graph& graph);

}  // namespace warplens::cuda_api
