// What programs tell a stream or a GPU that only makes work faster, and what they ask about them.
#include <algorithm>
#include <cstdio>

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

using AttributeValue = std::array<uint8_t, 64>;  // of cudaStreamAttrValue

CUDA_API int cudaStreamSetAttribute(void* handle, int attribute, const AttributeValue* value) {
  return call([&](Runtime& runtime) {
    Stream* stream = runtime.stream(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (value == nullptr) return cudaErrorInvalidValue;
    stream->attributes[attribute] = *value;
    return cudaSuccess;
  });
}
CUDA_API int cudaStreamGetAttribute(void* handle, int attribute, AttributeValue* value) {
  return call([&](Runtime& runtime) {
    const Stream* stream = runtime.stream(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (value == nullptr) return cudaErrorInvalidValue;
    const auto found = stream->attributes.find(attribute);
    *value = found != stream->attributes.end() ? found->second : AttributeValue{};
    return cudaSuccess;
  });
}
CUDA_API int cudaStreamCopyAttributes(void* to, void* from) {
  return call([&](Runtime& runtime) {
    Stream *target = runtime.stream(to), *source = runtime.stream(from);
    if (target == nullptr || source == nullptr) return cudaErrorInvalidResourceHandle;
    target->attributes = source->attributes;
    return cudaSuccess;
  });
}
CUDA_API int cudaStreamAttachMemAsync(void* stream, void* pointer, size_t, unsigned) {
  const Allocation* allocation = Runtime::get().holder(pointer, 1);
  const bool plain = allocation != nullptr && allocation->storage == Storage::kDevice;
  return plain ? int{refused(cudaErrorInvalidValue)} : int{accept(stream)};
}
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
    if (!runtime.has_device(source) || !runtime.has_device(target) || source == target) return cudaErrorInvalidDevice;
    *value = attribute == kPerformanceRank ? 0 : 1;
    return cudaSuccess;
  });
}

CUDA_API int cudaDeviceGetByPCIBusId(int* device, const char* text) {
  return call([&](Runtime& runtime) {
    if (device == nullptr || text == nullptr) return cudaErrorInvalidValue;
    unsigned domain = 0, bus = 0, slot = 0, function = 0;
    const bool whole = std::sscanf(text, "%x:%x:%x.%x", &domain, &bus, &slot, &function) >= 3;
    if (!whole && std::sscanf(text, "%x:%x.%x", &bus, &slot, &function) < 2) return cudaErrorInvalidValue;
    const bool there = domain == 0 && slot == 0 && bus >= 1 && bus <= static_cast<unsigned>(runtime.devices);
    if (!there) return cudaErrorInvalidDevice;
    *device = static_cast<int>(bus) - 1;  // as cudaDeviceGetPCIBusId numbers them
    return cudaSuccess;
  });
}
CUDA_API int cudaSetValidDevices(const int* devices, int count) {
  return call([&](Runtime& runtime) {
    if (devices == nullptr || count < 0) return cudaErrorInvalidValue;
    const bool known = std::all_of(devices, devices + count, [&](int d) { return d >= 0 && d < runtime.devices; });
    return known ? cudaSuccess : cudaErrorInvalidDevice;
  });
}
CUDA_API int cudaDeviceFlushGPUDirectRDMAWrites(int, int) { return accept(nullptr); }
CUDA_API int cudaDeviceGetSharedMemConfig(int* config) {
  constexpr int kBanksOfFourBytes = 1;
  if (config != nullptr) *config = kBanksOfFourBytes;
  return accept(nullptr);
}
