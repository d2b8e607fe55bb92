// The driver's calls for memory and events of other processes.
#include "warplens/cuda_api/calls.h"
#include "warplens/cuda_api/driver/driver.h"
#include "warplens/cuda_api/ipc/handles.h"

using namespace warplens::cuda_api;

extern "C" {
int cudaIpcGetMemHandle(IpcHandle* out, void* pointer);
int cudaIpcOpenMemHandle(void** out, IpcHandle handle, unsigned flags);
int cudaIpcCloseMemHandle(void* pointer);
int cudaIpcGetEventHandle(IpcHandle* out, Event* event);
int cudaIpcOpenEventHandle(Event** out, IpcHandle handle);
}

CUDA_API int cuIpcGetMemHandle(IpcHandle* out, void* pointer) {
  return in_context([&](Runtime&) { return cudaIpcGetMemHandle(out, pointer); });
}
CUDA_API int cuIpcOpenMemHandle_v2(void** out, IpcHandle handle, unsigned flags) {
  return in_context([&](Runtime&) { return cudaIpcOpenMemHandle(out, handle, flags); });
}
CUDA_API int cuIpcOpenMemHandle(void** out, IpcHandle handle, unsigned flags) {
  return cuIpcOpenMemHandle_v2(out, handle, flags);
}
CUDA_API int cuIpcCloseMemHandle(void* pointer) {
  return in_context([&](Runtime&) { return cudaIpcCloseMemHandle(pointer); });
}
CUDA_API int cuIpcGetEventHandle(IpcHandle* out, Event* event) {
  return in_context([&](Runtime&) { return cudaIpcGetEventHandle(out, event); });
}
CUDA_API int cuIpcOpenEventHandle(Event** out, IpcHandle handle) {
  return in_context([&](Runtime&) { return cudaIpcOpenEventHandle(out, handle); });
}
