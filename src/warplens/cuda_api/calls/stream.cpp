// Streams and events. Work is done when it is asked for, so that nothing is ever left to wait for.
#include <algorithm>

#include "warplens/cuda_api/clock.h"
#include "warplens/cuda_api/submit.h"

using namespace warplens;
using namespace warplens::cuda_api;

namespace {

constexpr unsigned kEventWithoutTiming = 2, kEventOfProcesses = 4, kEventFlags = 7;
constexpr unsigned kExternal = 1;  // of a capture
constexpr int kHighestPriority = -5;

Error known(Runtime& runtime, void* stream) {
  return runtime.stream(stream) != nullptr ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

int with_stream(void* stream, const char* name = __builtin_FUNCTION()) {
  return call([&](Runtime& runtime) { return known(runtime, stream); }, name);
}

template <typename F>
int with_event(Event* event, F use, const char* name = __builtin_FUNCTION()) {
  return call(
      [&](Runtime& runtime) { return runtime.events.contains(event) ? use(runtime) : cudaErrorInvalidResourceHandle; },
      name);
}

}  // namespace

CUDA_API int cudaStreamCreateWithPriority(Stream** out, unsigned flags, int priority) {
  return call([&](Runtime& runtime) {
    if (out == nullptr || flags > 1) return cudaErrorInvalidValue;
    *out =
        new Stream{.priority = std::clamp(priority, kHighestPriority, 0), .flags = flags, .device = current_device()};
    runtime.streams.insert(*out);
    return cudaSuccess;
  });
}
CUDA_API int cudaStreamCreateWithFlags(Stream** out, unsigned flags) {
  return cudaStreamCreateWithPriority(out, flags, 0);
}
CUDA_API int cudaStreamCreate(Stream** out) { return cudaStreamCreateWithPriority(out, 0, 0); }

CUDA_API int cudaStreamDestroy(Stream* stream) {
  return call([&](Runtime& runtime) {
    if (runtime.streams.erase(stream) == 0) return cudaErrorInvalidResourceHandle;
    if (runtime.working == stream) runtime.working = runtime.stream(nullptr);
    delete stream;
    return cudaSuccess;
  });
}

CUDA_API int cudaStreamSynchronize(void* stream) {
  return call([&](Runtime& runtime) {
    runtime.flush_printed();
    if (const Error error = known(runtime, stream); error != cudaSuccess) return error;
    const Stream* waited = runtime.stream(stream);
    if (const Error error = refuse_wait(*waited); error != cudaSuccess) return error;
    const bool is_default = runtime.is_legacy(waited);
    wait_until(runtime, Wait::kStream, is_default ? finished_ns(runtime) : waited->clock_ns, waited);
    return cudaSuccess;
  });
}
CUDA_API int cudaStreamQuery(void* stream) {
  return call([&](Runtime& runtime) {
    const Stream* asked = runtime.stream(stream);
    return asked != nullptr ? refuse_wait(*asked) : cudaErrorInvalidResourceHandle;
  });
}

CUDA_API int cudaStreamGetPriority(void* stream, int* priority) {
  return call([&](Runtime& runtime) {
    if (priority == nullptr) return cudaErrorInvalidValue;
    if (const Error error = known(runtime, stream); error != cudaSuccess) return error;
    *priority = runtime.stream(stream)->priority;
    return cudaSuccess;
  });
}

CUDA_API int cudaStreamGetFlags(void* stream, unsigned* flags) {
  return call([&](Runtime& runtime) {
    if (flags == nullptr) return cudaErrorInvalidValue;
    if (const Error error = known(runtime, stream); error != cudaSuccess) return error;
    *flags = runtime.stream(stream)->flags;
    return cudaSuccess;
  });
}

CUDA_API int cudaStreamWaitEvent(void* stream, Event* event, unsigned flags) {
  return with_event(event, [&](Runtime& runtime) {
    if (flags > kExternal) return cudaErrorInvalidValue;
    if (const Error error = known(runtime, stream); error != cudaSuccess) return error;
    Stream* waits = runtime.stream(stream);
    waits->clock_ns = std::max(waits->clock_ns, event->at_ns);
    wait_captured(*waits, *event);
    return cudaSuccess;
  });
}

CUDA_API int cudaLaunchHostFunc(void* stream, void (*function)(void*), void* data) {
  return call([&](Runtime& runtime) {
    if (function == nullptr) return cudaErrorInvalidValue;
    return submit(runtime, stream, NodeKind::kHost, [=](Runtime&) {
      function(data);
      return cudaSuccess;
    });
  });
}

CUDA_API int cudaStreamAddCallback(void* stream, void (*function)(void*, int, void*), void* data, unsigned flags) {
  const int error = function != nullptr && flags == 0 ? with_stream(stream) : int{refused(cudaErrorInvalidValue)};
  if (error == cudaSuccess) function(stream, cudaSuccess, data);
  return error;
}

CUDA_API int cudaEventCreateWithFlags(Event** out, unsigned flags) {
  return call([&](Runtime& runtime) {
    const bool shared_but_timed = (flags & kEventOfProcesses) != 0 && (flags & kEventWithoutTiming) == 0;
    if (out == nullptr || flags > kEventFlags || shared_but_timed) return cudaErrorInvalidValue;
    *out = new Event{.timed = (flags & kEventWithoutTiming) == 0,
                     .of_processes = (flags & kEventOfProcesses) != 0,
                     .device = current_device()};
    runtime.events.insert(*out);
    runtime.timed = runtime.timed || (*out)->timed;
    if ((*out)->timed && !runtime.recording && !runtime.host_time) runtime.host_time.emplace();
    return cudaSuccess;
  });
}
CUDA_API int cudaEventCreate(Event** out) { return cudaEventCreateWithFlags(out, 0); }

CUDA_API int cudaEventDestroy(Event* event) {
  return with_event(event, [&](Runtime& runtime) {
    runtime.events.erase(event);
    delete event;
    return cudaSuccess;
  });
}

CUDA_API int cudaEventRecordWithFlags(Event* event, void* stream, unsigned flags) {
  return with_event(event, [&](Runtime& runtime) {
    if (flags > kExternal) return cudaErrorInvalidValue;
    if (const Error error = known(runtime, stream); error != cudaSuccess) return error;
    if (runtime.stream(stream)->device != event->device) return cudaErrorInvalidResourceHandle;
    record_captured(*runtime.stream(stream), *event);
    if (event->captured_into != nullptr) return cudaSuccess;
    event->recorded = true;
    runtime.working = runtime.stream(stream);
    const double behind_ns = spend(runtime, 0).end_ns;  // what its stream waits for
    event->at_ns = runtime.host_time ? runtime.host_time->record(runtime.working, behind_ns) : behind_ns;
    // The stream had no work, so it is the host's time: no stream begins what comes later before it.
    if (event->at_ns > behind_ns) runtime.host_waited_ns = std::max(runtime.host_waited_ns, event->at_ns);
    runtime.working->clock_ns = event->at_ns;
    return cudaSuccess;
  });
}
CUDA_API int cudaEventRecord(Event* event, void* stream) { return cudaEventRecordWithFlags(event, stream, 0); }

CUDA_API int cudaEventSynchronize(Event* event) {
  return with_event(event, [&](Runtime& runtime) {
    if (const Error error = refuse_wait(*event); error != cudaSuccess) return error;
    runtime.flush_printed();
    wait_until(runtime, Wait::kEvent, event->at_ns);
    return cudaSuccess;
  });
}
CUDA_API int cudaEventQuery(Event* event) {
  return with_event(event, [&](Runtime&) { return refuse_wait(*event); });
}

CUDA_API int cudaEventElapsedTime(float* milliseconds, Event* begin, Event* end) {
  return with_event(begin, [&](Runtime& runtime) {
    if (milliseconds == nullptr) return cudaErrorInvalidValue;
    if (!runtime.events.contains(end) || !begin->recorded || !end->recorded || !begin->timed || !end->timed ||
        begin->device != end->device) {
      return cudaErrorInvalidResourceHandle;
    }
    *milliseconds = static_cast<float>((end->at_ns - begin->at_ns) * 1e-6);
    return cudaSuccess;
  });
}
