#include "warplens/cuda_api/capture.h"

#include <algorithm>

namespace warplens::cuda_api {
namespace {

/// Makes invalid the captures of streams for which `which(stream)`. Whether there was one.
template <typename F>
bool break_captures(Runtime& runtime, F which) {
  bool any = false;
  for (Stream* stream : runtime.streams) {
    if (stream->captured_into == nullptr || !which(*stream)) continue;
    stream->captured_into->invalid = any = true;
  }
  return any;
}

}  // namespace

CaptureMode& capture_mode_of_thread() {
  thread_local CaptureMode mode = CaptureMode::kGlobal;
  return mode;
}

void begin_capture(Runtime& runtime, Stream& stream, Graph* graph, CaptureMode mode) {
  stream.captured_into = graph;
  stream.has_graph = false;
  stream.unsafe_calls = mode == CaptureMode::kRelaxed;
  stream.captured_works = 0;
  stream.joined.clear();
  stream.behind.clear();
  graph->invalid = false;
  ++runtime.captures;
}

Error end_capture(Runtime& runtime, Stream& stream) {
  const Graph* graph = stream.captured_into;
  const bool joined = std::ranges::all_of(runtime.streams, [&](const Stream* other) {
    return other == &stream || other->captured_into != graph || stream.joined[other] >= other->captured_works;
  });
  for (Stream* other : runtime.streams) {
    if (other->captured_into == graph) other->captured_into = nullptr;
  }
  for (Event* event : runtime.events) {
    if (event->captured_into == graph) event->captured_into = nullptr;
  }
  --runtime.captures;
  if (graph->invalid) return cudaErrorStreamCaptureInvalidated;
  return joined ? cudaSuccess : cudaErrorStreamCaptureUnjoined;
}

void wait_behind(Stream& stream, std::span<const Node* const> nodes) {
  for (const Node* node : nodes) {
    if (std::ranges::find(stream.behind, node) == stream.behind.end()) stream.behind.push_back(node);
  }
}

void record_captured(Stream& stream, Event& event) {
  event.captured_into = stream.captured_into;
  if (event.captured_into == nullptr) return;
  event.joined = stream.joined;
  event.behind = stream.behind;
  event.joined[&stream] = stream.captured_works;
}

void wait_captured(Stream& stream, const Event& event) {
  if (event.captured_into == nullptr) return;
  if (stream.captured_into == nullptr) {
    stream.captured_into = event.captured_into;
    stream.captured_works = 1;  // that it came in is to be waited for too
    stream.joined.clear();
    stream.behind.clear();
  }
  wait_behind(stream, event.behind);
  for (const auto& [other, works] : event.joined) stream.joined[other] = std::max(stream.joined[other], works);
}

Error refuse_wait(const Stream& stream) {
  if (stream.captured_into == nullptr) return cudaSuccess;
  stream.captured_into->invalid = true;
  return cudaErrorStreamCaptureUnsupported;
}

Error refuse_wait(Runtime& runtime) {
  if (runtime.captures == 0) return cudaSuccess;
  return break_captures(runtime, [](const Stream&) { return true; }) ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
}

Error refuse_wait(const Event& event) {
  if (event.captured_into == nullptr) return cudaSuccess;
  event.captured_into->invalid = true;
  return cudaErrorCapturedEvent;
}

Error refuse_unsafe(Runtime& runtime) {
  if (runtime.captures == 0 || capture_mode_of_thread() == CaptureMode::kRelaxed) return cudaSuccess;
  const bool broken = break_captures(runtime, [](const Stream& stream) { return !stream.unsafe_calls; });
  return broken ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
}

Error refuse_legacy(Runtime& runtime) {
  constexpr uint32_t kNonBlocking = 1;
  if (runtime.captures == 0) return cudaSuccess;
  const bool broken = break_captures(runtime, [](const Stream& stream) { return (stream.flags & kNonBlocking) == 0; });
  return broken ? cudaErrorStreamCaptureImplicit : cudaSuccess;
}

}  // namespace warplens::cuda_api
