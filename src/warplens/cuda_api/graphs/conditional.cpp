#include "warplens/cuda_api/graphs/conditional.h"

#include <atomic>
#include <chrono>

#include "warplens/base/text.h"

namespace warplens::cuda_api {
namespace {

using Conditions = std::vector<std::shared_ptr<const Condition>>;

uint32_t value_of(const Condition& condition) {
  return std::atomic_ref(*reinterpret_cast<uint32_t*>(condition.handle)).load(std::memory_order_relaxed);
}

const ConditionalNode* conditional(const Node& node) {
  const auto* made = std::get_if<std::shared_ptr<ConditionalNode>>(&node.made);
  return made != nullptr ? made->get() : nullptr;
}

/// Graphs within a node: its bodies, its child.
std::vector<Graph*> within(const Node& node) {
  if (const auto* child = std::get_if<ChildGraph>(&node.made)) return {child->graph};
  const ConditionalNode* found = conditional(node);
  return found != nullptr ? found->bodies : std::vector<Graph*>{};
}

/// Calls `use` with every node of a graph and of those within, as long as it returns true. Whether it always did.
template <typename F>
bool all_nodes(const Runtime& runtime, const Graph& graph, F use) {
  return std::ranges::all_of(graph.nodes, [&](const auto& node) {
    return use(*node) && std::ranges::all_of(within(*node), [&](Graph* inner) {
             return !knows(runtime, inner) || all_nodes(runtime, *inner, use);
           });
  });
}

bool allowed_in_body(const Node& node) {
  switch (node.kind) {
    case NodeKind::kKernel: {
      const auto* kernel = std::get_if<std::shared_ptr<KernelNode>>(&node.made);
      return kernel == nullptr || !(*kernel)->cooperative;
    }
    case NodeKind::kCopy:
    case NodeKind::kFill:
    case NodeKind::kGraph:
    case NodeKind::kEmpty:
    case NodeKind::kConditional: return true;
    default: return false;
  }
}

/// A loop takes no longer than a launch may.
class Budget {
 public:
  explicit Budget(const Runtime& runtime) : budget_s_(runtime.launch_watch.budget_s) {}
  bool is_over() const {
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - began_;
    return budget_s_ > 0 && taken.count() > budget_s_;
  }
  double seconds() const { return budget_s_; }

 private:
  double budget_s_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

Error run_while(Runtime& runtime, const Condition& condition, const GraphExec& body) {
  const Budget budget(runtime);
  for (uint64_t rounds = 0; value_of(condition) != 0; ++rounds) {
    if (budget.is_over()) {
      runtime.lose(cudaErrorLaunchTimeout);
      return runtime.tell(cudaErrorLaunchTimeout,
                          fmt::format("a while node of a graph was stopped after {} rounds in {:g} s: its condition is "
                                      "still {}; --launch-budget gives it longer",
                                      rounds, budget.seconds(), value_of(condition)));
    }
    if (const Error error = run_steps(runtime, body); error != cudaSuccess) return error;
    if (runtime.sticky != cudaSuccess) return cudaSuccess;  // as after a kernel that went wrong
  }
  return cudaSuccess;
}

/// Which body an if or a switch takes; its number may be that of none.
size_t chosen_body(ConditionKind kind, uint32_t value) {
  return kind == ConditionKind::kSwitch ? value : value != 0 ? 0 : 1;
}

bool is_used(const Runtime& runtime, const Graph& graph, const Condition& condition) {
  return !all_nodes(runtime, graph, [&](const Node& node) {
    const ConditionalNode* found = conditional(node);
    return found == nullptr || found->condition.get() != &condition;
  });
}

bool has_instance(const Runtime& runtime, const Condition& condition) {
  return std::ranges::any_of(runtime.graph_execs, [&](const auto& exec) {
    return std::ranges::any_of(exec.second->conditions, [&](const auto& each) { return each.get() == &condition; });
  });
}

Error check_own_conditions(Runtime& runtime, const Graph& graph) {
  for (const auto& condition : graph.conditions) {
    if (!is_used(runtime, graph, *condition))
      return runtime.tell(cudaErrorInvalidValue,
                          "a graph has a conditional handle that none of its conditional nodes uses: make a node for "
                          "it, or leave cudaGraphConditionalHandleCreate out");
    if (has_instance(runtime, *condition))
      return runtime.tell(cudaErrorInvalidValue,
                          "a graph with conditional nodes has one instance at a time: "
                          "destroy the other one first");
  }
  return cudaSuccess;
}

}  // namespace

Error make_conditional(Runtime& runtime, ConditionalParameters* parameters, Made* made) {
  const auto kind = static_cast<ConditionKind>(parameters->kind);
  const uint32_t size = parameters->size;
  const bool right_size = kind == ConditionKind::kIf      ? size == 1 || size == 2
                          : kind == ConditionKind::kWhile ? size == 1
                                                          : kind == ConditionKind::kSwitch && size > 0;
  if (!right_size) return cudaErrorInvalidValue;
  for (const auto& [graph, owned] : runtime.graphs) {
    const auto condition =
        std::ranges::find(graph->conditions, parameters->handle, [](const auto& each) { return each->handle; });
    if (condition == graph->conditions.end()) continue;
    auto node = std::make_shared<ConditionalNode>(ConditionalNode{*condition, kind, {}});
    for (uint32_t i = 0; i < size; ++i) node->bodies.push_back(new_graph(runtime));
    parameters->bodies = node->bodies.data();
    *made = std::move(node);
    return cudaSuccess;
  }
  return cudaErrorInvalidValue;
}

Error make_conditional_work(Runtime& runtime, const ConditionalNode& node, Work* work) {
  std::vector<GraphExec> bodies(node.bodies.size());
  for (size_t i = 0; i < bodies.size(); ++i) {
    const Graph& body = *node.bodies[i];
    if (!all_nodes(runtime, body, allowed_in_body))
      return runtime.tell(
          cudaErrorNotSupported,
          "the body of a conditional node may hold plain kernels, copies, fills, child graphs, conditional "
          "and empty nodes: move others out of it");
    if (const Error error = make_steps(runtime, body, &bodies[i]); error != cudaSuccess) return error;
  }
  *work = [condition = node.condition, kind = node.kind, bodies](Runtime& then) {
    if (kind == ConditionKind::kWhile) return run_while(then, *condition, bodies[0]);
    const size_t chosen = chosen_body(kind, value_of(*condition));
    return chosen < bodies.size() ? run_steps(then, bodies[chosen]) : cudaSuccess;
  };
  return cudaSuccess;
}

bool has_conditional(const Graph& graph) {
  return std::ranges::any_of(graph.nodes, [](const auto& node) { return node->kind == NodeKind::kConditional; });
}

Error check_conditions(Runtime& runtime, const Graph& graph) {
  Error error = check_own_conditions(runtime, graph);
  all_nodes(runtime, graph, [&](const Node& node) {
    for (Graph* inner : within(node)) {
      if (error == cudaSuccess && knows(runtime, inner)) error = check_own_conditions(runtime, *inner);
    }
    return error == cudaSuccess;
  });
  return error;
}

void assign_defaults(const GraphExec& exec) {
  for (const auto& condition : exec.conditions) {
    if (!condition->assigns_default) continue;
    std::atomic_ref(*reinterpret_cast<uint32_t*>(condition->handle)).store(condition->default_value);
  }
}

void destroy_bodies(Runtime& runtime, const Graph& graph) {
  for (const auto& node : graph.nodes) {
    const ConditionalNode* found = conditional(*node);
    if (found == nullptr) continue;
    for (Graph* body : found->bodies) {
      if (!knows(runtime, body)) continue;
      destroy_bodies(runtime, *body);
      release_kept(*body);
      runtime.graphs.erase(body);
    }
  }
}

}  // namespace warplens::cuda_api

using namespace warplens;
using namespace warplens::cuda_api;

CUDA_API int cudaGraphConditionalHandleCreate(uint64_t* out, Graph* graph, uint32_t default_value, uint32_t flags) {
  return call([&](Runtime& runtime) {
    constexpr uint32_t kAssignDefault = 1;
    if (out == nullptr || !knows(runtime, graph) || flags > kAssignDefault) return cudaErrorInvalidValue;
    const Result<simt::Address> word = runtime.memory.allocate(sizeof(uint32_t), "cudaGraphConditionalHandleCreate");
    if (!word.ok()) return runtime.tell(cudaErrorMemoryAllocation, word.status().message());
    const auto release = [&runtime](const Condition* condition) {
      (void)runtime.memory.free(condition->handle);
      delete condition;
    };
    auto* condition = new Condition{*word, default_value, (flags & kAssignDefault) != 0};
    graph->conditions.emplace_back(condition, release);
    *out = *word;
    return cudaSuccess;
  });
}
