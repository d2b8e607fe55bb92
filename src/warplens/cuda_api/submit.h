// Giving a stream something to do: done at once, or added to the graph that the stream is captured into.
#pragma once
#include "warplens/cuda_api/capture.h"
#include "warplens/cuda_api/graph.h"
#include "warplens/cuda_api/runtime.h"

namespace warplens::cuda_api {

/// Errors: no such stream; those of the work, where it is done at once.
inline Error submit(Runtime& runtime, void* handle, NodeKind kind, Work work) {
  Stream* stream = runtime.stream(handle);
  if (stream == nullptr) return cudaErrorInvalidResourceHandle;
  if (stream->captured_into == nullptr) {
    if (runtime.is_legacy(stream)) {
      if (const Error error = refuse_legacy(runtime); error != cudaSuccess) return error;
    }
    runtime.working = stream;
    return work(runtime);
  }
  Graph& graph = *stream->captured_into;
  if (graph.invalid) return cudaErrorStreamCaptureInvalidated;
  ++stream->captured_works;
  const Node* node = graph.add(kind, std::move(work), std::move(stream->behind));
  stream->behind.assign(1, node);
  return cudaSuccess;
}

}  // namespace warplens::cuda_api
