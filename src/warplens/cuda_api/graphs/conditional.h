// Conditional nodes of graphs: bodies that run once, again and again, or one of several, as a value says that kernels
// set.
#pragma once
#include "warplens/cuda_api/graphs/nodes.h"

namespace warplens::cuda_api {

/// cudaConditionalNodeParams.
struct ConditionalParameters {
  uint64_t handle;
  int kind;
  uint32_t size;
  Graph** bodies;  // given back
};

/// Makes the bodies of a new node. Errors: a handle of no graph, a kind that is none or does not have so many bodies.
Error make_conditional(Runtime& runtime, ConditionalParameters* parameters, Made* made);
/// Errors: nodes in a body that CUDA does not allow there, with a message.
Error make_conditional_work(Runtime& runtime, const ConditionalNode& node, Work* work);
bool has_conditional(const Graph& graph);
/// Errors: a condition that no node of the graph or below asks, an instance that has it already. Both have messages.
Error check_conditions(Runtime& runtime, const Graph& graph);
/// The values of the conditions of a graph that begins.
void assign_defaults(const GraphExec& exec);
/// The graphs in a graph's conditional nodes go with it.
void destroy_bodies(Runtime& runtime, const Graph& graph);

}  // namespace warplens::cuda_api
