// Updates of instantiated graphs from a graph of the same shape.
#include <algorithm>

#include "warplens/cuda_api/graphs/nodes.h"

using namespace warplens;
using namespace warplens::cuda_api;

namespace {

/// cudaGraphExecUpdateResult: the answers that this runtime gives.
enum Update : int { kDone = 0, kTopologyChanged = 2, kTypeChanged = 3 };

/// What differs between an instance and one of another graph, whose nodes are paired in order.
UpdateResult compare(const GraphExec& exec, const GraphExec& other) {
  if (exec.steps.size() != other.steps.size()) return {kTopologyChanged, nullptr, nullptr};
  for (size_t i = 0; i < exec.steps.size(); ++i) {
    const GraphExec::Step &old = exec.steps[i], &step = other.steps[i];
    if (old.kind != step.kind) return {kTypeChanged, step.node, nullptr};
    if (old.before.size() != step.before.size()) return {kTopologyChanged, step.node, nullptr};
    const auto wrong = std::ranges::mismatch(old.before, step.before);
    if (wrong.in2 != step.before.end()) return {kTopologyChanged, step.node, other.steps[*wrong.in2].node};
  }
  return {};
}

}  // namespace

CUDA_API int cudaGraphExecUpdate(GraphExec* exec, Graph* graph, UpdateResult* result) {
  return call([&](Runtime& runtime) {
    if (result == nullptr) return cudaErrorInvalidValue;
    if (!runtime.graph_execs.contains(exec) || !knows(runtime, graph)) return cudaErrorInvalidValue;
    GraphExec other;
    if (const Error error = make_steps(runtime, *graph, &other); error != cudaSuccess) return error;
    *result = compare(*exec, other);
    if (result->result != kDone) return cudaErrorGraphExecUpdateFailure;
    for (size_t i = 0; i < exec->steps.size(); ++i) {  // the handles stay those of the instance's own graph
      GraphExec::Step& step = exec->steps[i];
      const bool is_on = static_cast<bool>(step.work) || !step.own;
      step.own = other.steps[i].own;
      step.work = is_on ? step.own : Work{};
    }
    exec->conditions = std::move(other.conditions);
    return cudaSuccess;
  });
}
