// The driver's streams and events.
#include <map>

#include "warplens/cuda_api/calls.h"
#include "warplens/cuda_api/driver/driver.h"

using namespace warplens;
using namespace warplens::cuda_api;

namespace {

/// The runtime's streams and events are of the primary context, a default stream of the current one.
template <typename T>
void* context_of(const std::map<T*, Context*>& made, T* resource) {
  const auto known = made.find(resource);
  return known != made.end() ? known->second : primary_of(resource->device);
}
void* context_of(Runtime& runtime, void* stream) {
  return is_default_stream(stream) ? context_stack().back()
                                   : context_of(Driver::get().contexts_of_streams, runtime.stream(stream));
}

}  // namespace

CUDA_API int cuStreamCreateWithPriority(Stream** out, unsigned flags, int priority) {
  return in_context([&](Runtime&) {
    const int error = cudaStreamCreateWithPriority(out, flags, priority);
    if (error == cudaSuccess) Driver::get().contexts_of_streams[*out] = context_stack().back();
    return error;
  });
}
CUDA_API int cuStreamCreate(Stream** out, unsigned flags) { return cuStreamCreateWithPriority(out, flags, 0); }
CUDA_API int cuStreamDestroy_v2(Stream* stream) {
  return in_driver([&](Runtime&) {
    Driver::get().contexts_of_streams.erase(stream);
    return cudaStreamDestroy(stream);
  });
}
CUDA_API int cuStreamSynchronize(void* stream) {
  return on_stream(stream, [&](Runtime&) { return cudaStreamSynchronize(stream); });
}
CUDA_API int cuStreamQuery(void* stream) {
  return on_stream(stream, [&](Runtime&) { return cudaStreamQuery(stream); });
}
CUDA_API int cuStreamGetPriority(void* stream, int* priority) {
  return on_stream(stream, [&](Runtime&) { return cudaStreamGetPriority(stream, priority); });
}
CUDA_API int cuStreamGetFlags(void* stream, unsigned* flags) {
  return on_stream(stream, [&](Runtime&) { return cudaStreamGetFlags(stream, flags); });
}
CUDA_API int cuStreamGetCtx(void* stream, void** context) {
  return on_stream(stream, [&](Runtime& runtime) {
    if (context == nullptr) return cudaErrorInvalidValue;
    if (runtime.stream(stream) == nullptr) return cudaErrorInvalidResourceHandle;
    *context = context_of(runtime, stream);
    return cudaSuccess;
  });
}
CUDA_API int cuStreamGetGreenCtx(void* stream, void** green) {
  void* context = nullptr;
  const int error = green == nullptr ? kDriverInvalidValue : cuStreamGetCtx(stream, &context);
  if (error == kDriverSuccess) *green = static_cast<Context*>(context)->sms != 0 ? context : nullptr;
  return error;
}
/// One of the two is the stream's, the other is none.
CUDA_API int cuStreamGetCtx_v2(void* stream, void** context, void** green) {
  void* of = nullptr;
  if (context == nullptr || green == nullptr) return kDriverInvalidValue;
  if (const int error = cuStreamGetGreenCtx(stream, green); error != kDriverSuccess) return error;
  const int error = cuStreamGetCtx(stream, &of);
  *context = *green != nullptr ? nullptr : of;
  return error;
}
CUDA_API int cuStreamWaitEvent(void* stream, Event* event, unsigned flags) {
  return on_stream(stream, [&](Runtime&) { return cudaStreamWaitEvent(stream, event, flags); });
}
CUDA_API int cuStreamAddCallback(void* stream, void (*function)(void*, int, void*), void* data, unsigned flags) {
  return on_stream(stream, [&](Runtime&) { return cudaStreamAddCallback(stream, function, data, flags); });
}
CUDA_API int cuLaunchHostFunc(void* stream, void (*function)(void*), void* data) {
  return on_stream(stream, [&](Runtime&) { return cudaLaunchHostFunc(stream, function, data); });
}

CUDA_API int cuEventCreate(Event** out, unsigned flags) {
  return in_context([&](Runtime&) {
    const int error = cudaEventCreateWithFlags(out, flags);
    if (error == cudaSuccess) Driver::get().contexts_of_events[*out] = context_stack().back();
    return error;
  });
}
CUDA_API int cuEventDestroy_v2(Event* event) {
  return in_driver([&](Runtime&) {
    Driver::get().contexts_of_events.erase(event);
    return cudaEventDestroy(event);
  });
}
/// An event takes work of its own context only.
CUDA_API int cuEventRecordWithFlags(Event* event, void* stream, unsigned flags) {
  return on_stream(stream, [&](Runtime& runtime) {
    const bool known = runtime.events.contains(event) && runtime.stream(stream) != nullptr;
    if (known && context_of(Driver::get().contexts_of_events, event) != context_of(runtime, stream))
      return int{cudaErrorInvalidResourceHandle};
    return cudaEventRecordWithFlags(event, stream, flags);
  });
}
CUDA_API int cuEventRecord(Event* event, void* stream) { return cuEventRecordWithFlags(event, stream, 0); }
CUDA_API int cuEventSynchronize(Event* event) {
  return in_driver([&](Runtime&) { return cudaEventSynchronize(event); });
}
CUDA_API int cuEventQuery(Event* event) {
  return in_driver([&](Runtime&) { return cudaEventQuery(event); });
}
CUDA_API int cuEventElapsedTime_v2(float* milliseconds, Event* begin, Event* end) {
  return in_driver([&](Runtime&) { return cudaEventElapsedTime(milliseconds, begin, end); });
}
CUDA_API int cuEventElapsedTime(float* milliseconds, Event* begin, Event* end) {
  return cuEventElapsedTime_v2(milliseconds, begin, end);
}

/// CUDA 10's form.
CUDA_API int cuStreamBeginCapture(void* stream) { return cudaStreamBeginCapture(stream, 0); }
