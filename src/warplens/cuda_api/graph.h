// CUDA graphs: work that is kept, by capturing streams or by adding nodes, and done again and again.
#pragma once
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <string_view>
#include <variant>
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
  kMemoryOperations = 12,
  kConditional = 13,
};

struct Graph;
struct Event;
struct CopyOfBox;  // the driver's copies

/// A kernel's launch; the arguments, at which `parameters` points, are the node's own.
struct KernelNode {
  KernelNodeParameters parameters{};
  bool cooperative = false;
  Dim3 cluster{0, 0, 0};
  std::vector<std::vector<uint8_t>> values;
  std::vector<void*> arguments;
};
struct ChildGraph {
  Graph* graph;  // the node's own
};
struct RecordsEvent {
  Event* event;
};
struct WaitsForEvent {
  Event* event;
};
struct FreesMemory {
  void* pointer;
};

/// A value that kernels set and a conditional node reads. Its handle is its address: a word of device memory. It lives
/// as long as a graph or an instance that has it.
struct Condition {
  uint64_t handle = 0;
  uint32_t default_value = 0;
  bool assigns_default = false;  // whenever its graph begins
};

enum class ConditionKind : int { kIf = 0, kWhile = 1, kSwitch = 2 };  // as cudaGraphConditionalNodeType counts them

struct ConditionalNode {
  std::shared_ptr<const Condition> condition;
  ConditionKind kind;
  std::vector<Graph*> bodies;  // the node's own
};

/// The parameters of a node, from which its work is made; queries return them. Empty for an empty node, and for
/// captured work other than a kernel.
using Made = std::variant<std::monostate, std::shared_ptr<KernelNode>, Copy3D, std::shared_ptr<const CopyOfBox>,
                          FillParameters, HostParameters, ChildGraph, RecordsEvent, WaitsForEvent, AllocationParameters,
                          FreesMemory, std::shared_ptr<ConditionalNode>>;

struct Node {
  NodeKind kind = NodeKind::kEmpty;
  Work work;                        // none: an empty node
  std::vector<const Node*> before;  // nodes that must run first
  Made made;
  const Node* original = nullptr;                     // that it is a clone of
  std::map<int, std::array<uint8_t, 64>> attributes;  // of a kernel's launch
};

/// cudaGraphExecUpdateResultInfo.
struct UpdateResult {
  int result = 0;  // 0: success
  const Node* error_node = nullptr;
  const Node* error_from_node = nullptr;
};

struct Graph {
  std::vector<std::unique_ptr<Node>> nodes;  // in the order in which they were added
  bool invalid = false;                      // a call broke its capture
  std::map<void*, unsigned> kept;            // user objects, by how often
  std::vector<std::shared_ptr<const Condition>> conditions;
  Node* add(NodeKind kind, Work work, std::vector<const Node*> before);
  bool has(const Node* node) const;
};

/// An instantiated graph: its nodes in an order in which each comes after its dependencies.
struct GraphExec {
  struct Step {
    const Node* node;  // a handle: its graph may be gone
    NodeKind kind;
    std::vector<size_t> before;  // steps that it waits for, ascending
    Work work;                   // none: it is switched off
    Work own;
  };
  std::vector<Step> steps;
  std::vector<std::shared_ptr<const Condition>> conditions;  // of its graph
  unsigned long long flags = 0;                              // of its creation: no effect
};

/// Nodes in an order that their dependencies allow, as added where they allow it; empty when they wait for each other
/// in a circle.
std::vector<const Node*> in_order(const Graph& graph);

}  // namespace warplens::cuda_api
