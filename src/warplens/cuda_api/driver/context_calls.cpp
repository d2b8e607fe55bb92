// The driver's devices and contexts.
#include <algorithm>
#include <cstring>

#include "warplens/cuda_api/calls.h"
#include "warplens/cuda_api/driver/driver.h"

using namespace warplens;
using namespace warplens::cuda_api;

namespace {

/// Calls `use` where cuInit was called before.
template <typename F>
int initialized(F use) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  const DriverCall counted;
  if (!Driver::get().initialized) return kDriverNotInitialized;
  return use(runtime);
}

void make_current(Context* context) {
  context_stack().push_back(context);
  current_device() = context->device;
}

int create_context(void** out, unsigned flags, int device) {
  return initialized([&](Runtime& runtime) -> int {
    if (out == nullptr) return kDriverInvalidValue;
    if (!runtime.has_device(device)) return cudaErrorInvalidDevice;
    auto* made = new Context{.device = device, .flags = flags};
    Driver::get().contexts.insert(made);
    make_current(made);
    *out = made;
    return kDriverSuccess;
  });
}

}  // namespace

namespace warplens::cuda_api {

Context* find_context(void* handle) {
  if (handle == nullptr) return has_context() ? context_stack().back() : nullptr;
  auto* context = static_cast<Context*>(handle);
  return Driver::get().contexts.contains(context) ? context : nullptr;
}

void end_context(Runtime& runtime, Context* context) {
  runtime.flush_printed();
  std::vector<std::pair<void*, bool>> left;
  for (const auto& [at, made] : runtime.allocations) {
    if (made.context == context && !made.is_mapped)
      left.emplace_back(reinterpret_cast<void*>(at), made.storage == Storage::kPinned);
  }
  for (const auto& [memory, is_pinned] : left) is_pinned ? cudaFreeHost(memory) : cudaFree(memory);
  const auto end_those = [&](auto& made, auto end) {
    std::erase_if(made, [&](const auto& one) {
      if (one.second != context) return false;
      end(one.first);
      return true;
    });
  };
  end_those(Driver::get().contexts_of_streams, cudaStreamDestroy);
  end_those(Driver::get().contexts_of_events, cudaEventDestroy);
  Driver::get().contexts.erase(context);
  std::erase(context_stack(), context);
  delete context;
}

}  // namespace warplens::cuda_api

CUDA_API int cuInit(unsigned flags) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  if (flags != 0) return kDriverInvalidValue;
  if (!runtime.problem.ok()) return cudaErrorNoDevice;
  Driver::get().initialized = true;
  return kDriverSuccess;
}
CUDA_API int cuDriverGetVersion(int* version) {
  return version == nullptr ? kDriverInvalidValue : cudaDriverGetVersion(version);
}

CUDA_API int cuDeviceGetCount(int* count) {
  return initialized([&](Runtime&) { return driver_result(cudaGetDeviceCount(count)); });
}
CUDA_API int cuDeviceGet(int* device, int ordinal) {
  return initialized([&](Runtime& runtime) -> int {
    if (device == nullptr) return kDriverInvalidValue;
    if (!runtime.has_device(ordinal)) return cudaErrorInvalidDevice;
    *device = ordinal;
    return kDriverSuccess;
  });
}
CUDA_API int cuDeviceGetName(char* name, int length, int device) {
  return initialized([&](Runtime&) -> int {
    DeviceProperties properties;
    if (const int error = cudaGetDeviceProperties(&properties, device); error != cudaSuccess)
      return driver_result(error);
    if (length <= 0 || name == nullptr) return kDriverInvalidValue;
    std::strncpy(name, properties.name, static_cast<size_t>(length));
    name[length - 1] = '\0';
    return kDriverSuccess;
  });
}
CUDA_API int cuDeviceGetUuid_v2(uint8_t* uuid, int device) {
  return initialized([&](Runtime&) -> int {
    DeviceProperties properties;
    if (const int error = cudaGetDeviceProperties(&properties, device); error != cudaSuccess)
      return driver_result(error);
    if (uuid == nullptr) return kDriverInvalidValue;
    std::ranges::copy(properties.uuid, uuid);
    return kDriverSuccess;
  });
}
CUDA_API int cuDeviceGetUuid(uint8_t* uuid, int device) { return cuDeviceGetUuid_v2(uuid, device); }
CUDA_API int cuDeviceTotalMem_v2(size_t* bytes, int device) {
  return initialized([&](Runtime& runtime) -> int {
    if (bytes == nullptr) return kDriverInvalidValue;
    if (!runtime.has_device(device)) return cudaErrorInvalidDevice;
    *bytes = runtime.memory_bytes();
    return kDriverSuccess;
  });
}
CUDA_API int cuDeviceGetAttribute(int* value, int attribute, int device) {
  return initialized([&](Runtime&) { return driver_result(cudaDeviceGetAttribute(value, attribute, device)); });
}
CUDA_API int cuDeviceComputeCapability(int* major, int* minor, int device) {
  constexpr int kMajor = 75, kMinor = 76;
  const int error = cuDeviceGetAttribute(major, kMajor, device);
  return error != kDriverSuccess ? error : cuDeviceGetAttribute(minor, kMinor, device);
}
CUDA_API int cuDeviceGetPCIBusId(char* text, int length, int device) {
  return initialized([&](Runtime&) { return driver_result(cudaDeviceGetPCIBusId(text, length, device)); });
}
CUDA_API int cuDeviceCanAccessPeer(int* can, int device, int peer) {
  return initialized([&](Runtime&) { return driver_result(cudaDeviceCanAccessPeer(can, device, peer)); });
}
CUDA_API int cuCtxEnablePeerAccess(void* peer, unsigned flags) {
  return initialized([&](Runtime&) -> int {
    const Context* context = has_context() ? find_context(peer) : nullptr;
    return context == nullptr ? kDriverInvalidContext
                              : driver_result(cudaDeviceEnablePeerAccess(context->device, flags));
  });
}

CUDA_API int cuCtxCreate_v2(void** out, unsigned flags, int device) { return create_context(out, flags, device); }
CUDA_API int cuCtxCreate_v3(void** out, void*, int, unsigned flags, int device) {
  return create_context(out, flags, device);
}
CUDA_API int cuCtxCreate_v4(void** out, void*, unsigned flags, int device) {
  return create_context(out, flags, device);
}

CUDA_API int cuCtxDestroy_v2(void* handle) {
  return initialized([&](Runtime& runtime) -> int {
    if (handle == nullptr) return kDriverInvalidValue;
    auto* context = static_cast<Context*>(handle);
    if (!Driver::get().contexts.contains(context) || context->primary || context->sms != 0)
      return kDriverInvalidContext;
    end_context(runtime, context);
    return kDriverSuccess;
  });
}
CUDA_API int cuCtxPushCurrent_v2(void* handle) {
  return initialized([&](Runtime&) -> int {
    if (handle == nullptr) return kDriverInvalidValue;
    Context* context = find_context(handle);
    if (context == nullptr) return kDriverInvalidContext;
    make_current(context);
    return kDriverSuccess;
  });
}
CUDA_API int cuCtxPopCurrent_v2(void** out) {
  return initialized([&](Runtime&) -> int {
    if (!has_context()) return kDriverInvalidContext;
    if (out != nullptr) *out = context_stack().back();
    context_stack().pop_back();
    if (has_context()) current_device() = context_stack().back()->device;
    return kDriverSuccess;
  });
}
CUDA_API int cuCtxSetCurrent(void* handle) {
  return initialized([&](Runtime&) -> int {
    if (has_context()) context_stack().pop_back();
    if (handle == nullptr) return kDriverSuccess;
    Context* context = find_context(handle);
    if (context == nullptr) return kDriverInvalidContext;
    make_current(context);
    return kDriverSuccess;
  });
}
CUDA_API int cuCtxGetCurrent(void** out) {
  return initialized([&](Runtime&) -> int {
    if (out == nullptr) return kDriverInvalidValue;
    *out = has_context() ? context_stack().back() : nullptr;
    return kDriverSuccess;
  });
}
CUDA_API int cuCtxGetDevice(int* device) {
  return initialized([&](Runtime&) -> int {
    if (!has_context()) return kDriverInvalidContext;
    if (device == nullptr) return kDriverInvalidValue;
    *device = context_stack().back()->device;
    return kDriverSuccess;
  });
}
CUDA_API int cuCtxGetFlags(unsigned* flags) {
  return initialized([&](Runtime&) -> int {
    if (!has_context()) return kDriverInvalidContext;
    if (flags == nullptr) return kDriverInvalidValue;
    *flags = context_stack().back()->flags;
    return kDriverSuccess;
  });
}
CUDA_API int cuCtxGetApiVersion(void* handle, unsigned* version) {
  return initialized([&](Runtime&) -> int {
    constexpr unsigned kVersion = 3020;
    if (find_context(handle) == nullptr) return kDriverInvalidContext;
    if (version == nullptr) return kDriverInvalidValue;
    *version = kVersion;
    return kDriverSuccess;
  });
}
CUDA_API int cuCtxSynchronize() {
  return in_context([](Runtime&) { return cudaDeviceSynchronize(); });
}
CUDA_API int cuCtxResetPersistingL2Cache() {
  return in_context([](Runtime&) { return cudaCtxResetPersistingL2Cache(); });
}
CUDA_API int cuCtxGetLimit(size_t* value, int limit) {
  return in_context([&](Runtime&) { return cudaDeviceGetLimit(value, limit); });
}
CUDA_API int cuCtxSetLimit(int limit, size_t value) {
  return in_context([&](Runtime&) { return cudaDeviceSetLimit(limit, value); });
}
CUDA_API int cuCtxGetCacheConfig(int* config) {
  return in_context([&](Runtime&) { return cudaDeviceGetCacheConfig(config); });
}
CUDA_API int cuCtxSetCacheConfig(int config) {
  return in_context([&](Runtime&) { return cudaDeviceSetCacheConfig(config); });
}
CUDA_API int cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  return in_context([&](Runtime&) { return cudaDeviceGetStreamPriorityRange(least, greatest); });
}

CUDA_API int cuDevicePrimaryCtxRetain(void** out, int device) {
  return initialized([&](Runtime& runtime) -> int {
    if (out == nullptr) return kDriverInvalidValue;
    if (!runtime.has_device(device)) return cudaErrorInvalidDevice;
    Context* const context = primary_of(device);
    ++context->uses;
    *out = context;
    return kDriverSuccess;
  });
}
CUDA_API int cuDevicePrimaryCtxGetState(int device, unsigned* flags, int* active) {
  return initialized([&](Runtime& runtime) -> int {
    if (!runtime.has_device(device)) return cudaErrorInvalidDevice;
    const Context* const context = primary_of(device);
    if (flags != nullptr) *flags = context->flags;
    if (active != nullptr) *active = context->is_active() ? 1 : 0;
    return kDriverSuccess;
  });
}
/// What was made in the context stays until the process ends.
CUDA_API int cuDevicePrimaryCtxRelease_v2(int device) {
  return initialized([&](Runtime& runtime) -> int {
    if (!runtime.has_device(device)) return cudaErrorInvalidDevice;
    Context* const context = primary_of(device);
    if (context->uses == 0) return kDriverInvalidContext;
    if (--context->uses == 0 && !context->of_runtime) context->flags = 0;
    return kDriverSuccess;
  });
}
CUDA_API int cuDevicePrimaryCtxReset_v2(int device) {
  return initialized([&](Runtime& runtime) -> int {
    if (!runtime.has_device(device)) return cudaErrorInvalidDevice;
    Context* const context = primary_of(device);
    context->uses = 0;
    context->of_runtime = false;
    context->flags = 0;
    return kDriverSuccess;
  });
}
CUDA_API int cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags) {
  return initialized([&](Runtime& runtime) -> int {
    constexpr unsigned kKnown = 0xff;
    if (!runtime.has_device(device)) return cudaErrorInvalidDevice;
    if (flags > kKnown) return kDriverInvalidValue;
    primary_of(device)->flags = flags;
    return kDriverSuccess;
  });
}

CUDA_API int cuCtxAttach(void** out, unsigned flags) {
  return initialized([&](Runtime&) -> int {
    if (!has_context()) return kDriverInvalidContext;
    if (out == nullptr || flags != 0) return kDriverInvalidValue;
    ++context_stack().back()->uses;
    *out = context_stack().back();
    return kDriverSuccess;
  });
}
/// Ends a context that nobody uses any more; a primary one ends otherwise.
CUDA_API int cuCtxDetach(void* handle) {
  return initialized([&](Runtime& runtime) -> int {
    auto* const context = static_cast<Context*>(handle);
    if (!has_context() || context_stack().back() != context) return kDriverInvalidContext;
    if (context->primary || --context->uses > 0) return kDriverSuccess;
    end_context(runtime, context);
    return kDriverSuccess;
  });
}
CUDA_API int cuCtxGetDevice_v2(int* device, void* handle) {
  return initialized([&](Runtime&) -> int {
    const Context* const context = find_context(handle);
    if (context == nullptr) return kDriverInvalidContext;
    if (device == nullptr) return kDriverInvalidValue;
    *device = context->device;
    return kDriverSuccess;
  });
}
CUDA_API int cuCtxSynchronize_v2(void* handle) {
  return initialized([&](Runtime&) -> int {
    return find_context(handle) == nullptr ? int{kDriverInvalidContext} : driver_result(cudaDeviceSynchronize());
  });
}

CUDA_API int cuCtxGetId(void* handle, unsigned long long* id) {
  return initialized([&](Runtime&) -> int {
    const Context* context = handle != nullptr ? find_context(handle)
                             : has_context()   ? context_stack().back()
                                               : nullptr;
    if (context == nullptr || id == nullptr) return kDriverInvalidContext;
    *id = reinterpret_cast<uintptr_t>(context);
    return kDriverSuccess;
  });
}
CUDA_API int cuCtxSetFlags(unsigned flags) {
  return initialized([&](Runtime&) -> int {
    if (!has_context()) return kDriverInvalidContext;
    context_stack().back()->flags = flags;
    return kDriverSuccess;
  });
}
CUDA_API int cuCtxDisablePeerAccess(void* peer) {
  return initialized([&](Runtime&) -> int {
    const Context* context = find_context(peer);
    return context == nullptr ? kDriverInvalidContext : driver_result(cudaDeviceDisablePeerAccess(context->device));
  });
}
CUDA_API int cuMemcpyPeerAsync(simt::Address target, void* to, simt::Address source, void* from, size_t size_bytes,
                               void* stream) {
  return initialized([&](Runtime&) -> int {
    if (find_context(to) == nullptr || find_context(from) == nullptr) return kDriverInvalidContext;
    constexpr int kBetweenDevices = 3;
    return driver_result(cudaMemcpyAsync(reinterpret_cast<void*>(target), reinterpret_cast<const void*>(source),
                                         size_bytes, kBetweenDevices, stream));
  });
}
