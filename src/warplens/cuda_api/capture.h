// Streams under capture: calls that are forbidden meanwhile, and the streams whose work the first one waits for.
#pragma once
#include <span>

#include "warplens/cuda_api/runtime.h"

namespace warplens::cuda_api {

enum class CaptureMode : int { kGlobal, kThreadLocal, kRelaxed };
/// As cudaThreadExchangeStreamCaptureMode sets it, of this host thread.
CaptureMode& capture_mode_of_thread();

/// `stream` is captured into `graph` from now on, as the first.
void begin_capture(Runtime& runtime, Stream& stream, Graph* graph, CaptureMode mode);
/// Ends it. Errors: invalid by then; work of another stream that `stream` does not wait for.
Error end_capture(Runtime& runtime, Stream& stream);

/// The stream's next captured work waits for these nodes too.
void wait_behind(Stream& stream, std::span<const Node* const> nodes);
/// The stream has recorded the event, or waits for it; either may be captured.
void record_captured(Stream& stream, Event& event);
void wait_captured(Stream& stream, const Event& event);

/// Errors of a call made while streams are captured; it makes their captures invalid. Of one that waits for a stream:
Error refuse_wait(const Stream& stream);
/// for all of them, or for an event:
Error refuse_wait(Runtime& runtime);
Error refuse_wait(const Event& event);
/// of one that may wait for the GPU (cudaMalloc);
Error refuse_unsafe(Runtime& runtime);
/// of work for the legacy stream, which waits for others.
Error refuse_legacy(Runtime& runtime);

}  // namespace warplens::cuda_api
