// What programs tell a stream or a GPU that only makes work faster, and what they ask about them.
#include "warplens/cuda_api/runtime.h"

using namespace warplens;
using namespace warplens::cuda_api;

namespace {

/// Nothing that is emulated depends on it.
int accept(void* stream, const char* name = __builtin_FUNCTION()) {
  return call(
      [&](Runtime& runtime) {
        return runtime.stream(stream) != nullptr ? cudaSuccess : cudaErrorInvalidResourceHandle;
      },
      name);
}

}  // namespace

CUDA_API int cudaStreamSetAttribute(void* stream, int, const void*) { return accept(stream); }
CUDA_API int cudaStreamCopyAttributes(void* to, void*) { return accept(to); }
CUDA_API int cudaStreamAttachMemAsync(void* stream, void*, size_t, unsigned) { return accept(stream); }
CUDA_API int cudaCtxResetPersistingL2Cache() { return accept(nullptr); }

CUDA_API int cudaStreamGetDevice(void* stream, int* device) {
  if (device != nullptr) *device = current_device();
  return accept(stream);
}
CUDA_API int cudaStreamGetId(void* stream, unsigned long long* id) {
  if (id != nullptr) *id = reinterpret_cast<uintptr_t>(stream);
  return accept(stream);
}

CUDA_API int cudaDeviceGetP2PAttribute(int* value, int attribute, int source, int target) {
  return call([&](Runtime& runtime) {
    if (value == nullptr) return cudaErrorInvalidValue;
    constexpr int kPerformanceRank = 1;
    if (source < 0 || source >= runtime.devices || target < 0 || target >= runtime.devices || source == target)
      return cudaErrorInvalidDevice;
    *value = attribute == kPerformanceRank ? 0 : 1;
    return cudaSuccess;
  });
}
