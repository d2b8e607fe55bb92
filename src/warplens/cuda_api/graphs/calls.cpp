// Graphs: capture, instances, launches.
#include <utility>

#include "warplens/cuda_api/capture.h"
#include "warplens/cuda_api/graphs/conditional.h"
#include "warplens/cuda_api/submit.h"

using namespace warplens;
using namespace warplens::cuda_api;

namespace {

bool is_mode(int mode) { return mode >= 0 && mode <= static_cast<int>(CaptureMode::kRelaxed); }

}  // namespace

CUDA_API int cudaStreamBeginCapture(void* handle, int mode) {
  return call([&](Runtime& runtime) {
    Stream* stream = runtime.stream(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (runtime.is_legacy(stream)) return cudaErrorStreamCaptureUnsupported;
    if (!is_mode(mode)) return cudaErrorInvalidValue;
    if (stream->captured_into != nullptr) return cudaErrorIllegalState;
    begin_capture(runtime, *stream, new_graph(runtime), static_cast<CaptureMode>(mode));
    return cudaSuccess;
  });
}

CUDA_API int cudaStreamBeginCaptureToGraph(void* handle, Graph* graph, const Node* const* nodes, const void*,
                                           size_t count, int mode) {
  return call([&](Runtime& runtime) {
    Stream* stream = runtime.stream(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (runtime.is_legacy(stream)) return cudaErrorStreamCaptureUnsupported;
    if (!is_mode(mode)) return cudaErrorInvalidValue;
    if (stream->captured_into != nullptr) return cudaErrorIllegalState;
    if (!knows(runtime, graph) || (count > 0 && nodes == nullptr) || count > graph->nodes.size())
      return cudaErrorInvalidValue;
    if (!std::all_of(nodes, nodes + count, [&](const Node* node) { return graph->has(node); }))
      return cudaErrorInvalidValue;
    begin_capture(runtime, *stream, graph, static_cast<CaptureMode>(mode));
    stream->behind.assign(nodes, nodes + count);
    stream->has_graph = true;
    return cudaSuccess;
  });
}

CUDA_API int cudaStreamEndCapture(void* handle, Graph** out) {
  return call([&](Runtime& runtime) {
    Stream* stream = runtime.stream(handle);
    if (out == nullptr && (stream == nullptr || !stream->has_graph)) return cudaErrorInvalidValue;
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (stream->captured_into == nullptr) return cudaErrorIllegalState;
    Graph* graph = stream->captured_into;
    const Error error = end_capture(runtime, *stream);
    if (out != nullptr) *out = error == cudaSuccess ? graph : nullptr;
    return error;
  });
}

CUDA_API int cudaStreamGetCaptureInfo(void* handle, int* status, unsigned long long* id, Graph** graph,
                                      const Node*** before, const void** edges, size_t* count) {
  return call([&](Runtime& runtime) {
    if (status == nullptr) return cudaErrorInvalidValue;
    Stream* stream = runtime.stream(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    constexpr int kActive = 1, kInvalid = 2;
    *status = stream->captured_into == nullptr ? 0 : stream->captured_into->invalid ? kInvalid : kActive;
    if (id != nullptr) *id = reinterpret_cast<uintptr_t>(stream->captured_into);
    if (graph != nullptr) *graph = stream->captured_into;
    const bool waits = stream->captured_into != nullptr && !stream->behind.empty();
    if (before != nullptr) *before = waits ? stream->behind.data() : nullptr;
    if (edges != nullptr) *edges = nullptr;
    if (count != nullptr) *count = waits ? stream->behind.size() : 0;
    return cudaSuccess;
  });
}

CUDA_API int cudaStreamUpdateCaptureDependencies(void* handle, const Node* const* nodes, const void*, size_t count,
                                                 unsigned flags) {
  return call([&](Runtime& runtime) {
    constexpr unsigned kSet = 1;  // 0: besides those that are there
    Stream* stream = runtime.stream(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (stream->captured_into == nullptr) return cudaErrorIllegalState;
    const auto is_there = [&](const Node* node) { return stream->captured_into->has(node); };
    const bool right = count == 0 || (nodes != nullptr && std::all_of(nodes, nodes + count, is_there));
    if (!right || flags > kSet) return cudaErrorInvalidValue;
    if (flags == kSet) stream->behind.clear();
    wait_behind(*stream, {nodes, count});
    return cudaSuccess;
  });
}

CUDA_API int cudaStreamIsCapturing(void* handle, int* status) {
  return cudaStreamGetCaptureInfo(handle, status, nullptr, nullptr, nullptr, nullptr, nullptr);
}
CUDA_API int cudaThreadExchangeStreamCaptureMode(int* mode) {
  if (mode == nullptr || !is_mode(*mode)) return refused(cudaErrorInvalidValue);
  *mode = static_cast<int>(std::exchange(capture_mode_of_thread(), static_cast<CaptureMode>(*mode)));
  return cudaSuccess;
}

CUDA_API int cudaGraphCreate(Graph** out, unsigned flags) {
  return call([&](Runtime& runtime) {
    if (out == nullptr || flags != 0) return cudaErrorInvalidValue;
    *out = new_graph(runtime);
    return cudaSuccess;
  });
}

CUDA_API int cudaGraphDestroy(Graph* graph) {
  return call([&](Runtime& runtime) {
    const auto captures = [&](const Stream* stream) { return stream->captured_into == graph; };
    if (std::ranges::any_of(runtime.streams, captures)) return cudaErrorInvalidValue;
    if (!knows(runtime, graph)) return cudaErrorInvalidValue;
    release_kept(*graph);
    destroy_bodies(runtime, *graph);
    runtime.graphs.erase(graph);
    return cudaSuccess;
  });
}

CUDA_API int cudaGraphGetNodes(Graph* graph, const Node** nodes, size_t* count) {
  return call([&](Runtime& runtime) {
    if (!knows(runtime, graph) || count == nullptr) return cudaErrorInvalidValue;
    const size_t room = nodes != nullptr ? *count : 0;
    for (size_t i = 0; i < std::min(room, graph->nodes.size()); ++i) nodes[i] = graph->nodes[i].get();
    *count = nodes != nullptr ? std::min(room, graph->nodes.size()) : graph->nodes.size();
    return cudaSuccess;
  });
}

CUDA_API int cudaGraphNodeGetType(const Node* node, int* type) {
  return call([&](Runtime& runtime) {
    const Node* found = find_node(runtime, node);
    if (found == nullptr || type == nullptr) return cudaErrorInvalidValue;
    *type = static_cast<int>(found->kind);
    return cudaSuccess;
  });
}

CUDA_API int cudaGraphInstantiate(GraphExec** out, Graph* graph, unsigned long long flags) {
  return call([&](Runtime& runtime) {
    if (out == nullptr) return cudaErrorInvalidValue;
    if (!knows(runtime, graph)) return cudaErrorInvalidValue;
    if (const Error error = check_conditions(runtime, *graph); error != cudaSuccess) return error;
    auto made = std::make_unique<GraphExec>();
    if (const Error error = make_steps(runtime, *graph, made.get()); error != cudaSuccess) return error;
    made->flags = flags;
    *out = made.get();
    runtime.graph_execs[*out] = std::move(made);
    return cudaSuccess;
  });
}
CUDA_API int cudaGraphInstantiateWithFlags(GraphExec** out, Graph* graph, unsigned long long flags) {
  return cudaGraphInstantiate(out, graph, flags);
}

struct InstantiateParameters {
  unsigned long long flags;
  void* upload_stream;
  const Node* error_node;
  int result;
};
CUDA_API int cudaGraphInstantiateWithParams(GraphExec** out, Graph* graph, InstantiateParameters* parameters) {
  if (parameters == nullptr) return cudaErrorInvalidValue;
  const int error = cudaGraphInstantiate(out, graph, parameters->flags);
  parameters->error_node = nullptr;
  parameters->result = error == cudaSuccess ? 0 : 1;
  return error;
}
CUDA_API int cudaGraphExecGetFlags(GraphExec* exec, unsigned long long* flags) {
  return call([&](Runtime& runtime) {
    if (!runtime.graph_execs.contains(exec) || flags == nullptr) return cudaErrorInvalidValue;
    *flags = exec->flags;
    return cudaSuccess;
  });
}

CUDA_API int cudaGraphExecDestroy(GraphExec* exec) {
  return call(
      [&](Runtime& runtime) { return runtime.graph_execs.erase(exec) != 0 ? cudaSuccess : cudaErrorInvalidValue; });
}

CUDA_API int cudaGraphUpload(GraphExec* exec, void*) {
  return call(
      [&](Runtime& runtime) { return runtime.graph_execs.contains(exec) ? cudaSuccess : cudaErrorInvalidValue; });
}

CUDA_API int cudaGraphLaunch(GraphExec* exec, void* stream) {
  return call([&](Runtime& runtime) {
    if (!runtime.graph_execs.contains(exec)) return cudaErrorInvalidValue;
    return submit(runtime, stream, NodeKind::kEmpty, [all = *exec](Runtime& then) { return run_steps(then, all); });
  });
}
