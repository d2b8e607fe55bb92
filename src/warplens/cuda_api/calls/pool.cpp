// Memory pools. All are one: memory is taken from the GPU when it is asked for and given back at once.
#include <algorithm>
#include <map>

#include "warplens/cuda_api/calls.h"

using namespace warplens;
using namespace warplens::cuda_api;

namespace {

enum PoolAttribute : int {
  kReuseFollowing = 1,
  kReuseOpportunistic,
  kReuseInternal,
  kReleaseThreshold,
  kReservedNow,
  kReservedMost,
  kUsedNow,
  kUsedMost
};

struct Pool {
  bool of_gpu = false;  // not made by the program
  int device = 0;
  std::map<int, uint64_t> attributes{{kReuseFollowing, 1}, {kReuseOpportunistic, 1}, {kReuseInternal, 1}};
};

struct Pools {
  std::map<Pool*, std::unique_ptr<Pool>> all;
  std::map<int, Pool*> of_device;  // by its number
};
Pools& pools() {
  static auto* made = new Pools;
  return *made;
}

Pool* new_pool(int device) {
  auto made = std::make_unique<Pool>();
  made->device = device;
  Pool* pool = made.get();
  pools().all[pool] = std::move(made);
  return pool;
}

uint64_t used_bytes(const Runtime& runtime, int device) {
  uint64_t used = 0;
  for (const auto& [begin, allocation] : runtime.allocations) {
    if (allocation.device == device && allocation.storage == Storage::kDevice) used += allocation.size_bytes;
  }
  return used;
}

bool takes_int(int attribute) { return attribute <= kReuseInternal; }

template <typename F>
int with_pool(Pool* pool, F use, const char* name = __builtin_FUNCTION()) {
  return call([&](Runtime& runtime) { return pools().all.contains(pool) ? use(runtime) : cudaErrorInvalidValue; },
              name);
}

int default_pool(Pool** out, int device, const char* name = __builtin_FUNCTION()) {
  return call(
      [&](Runtime& runtime) {
        if (out == nullptr || !runtime.has_device(device)) return cudaErrorInvalidDevice;
        Pool*& pool = pools().of_device[device];
        if (pool == nullptr) (pool = new_pool(device))->of_gpu = true;
        *out = pool;
        return cudaSuccess;
      },
      name);
}

constexpr int kPinnedPool = 1;
struct PoolProperties {
  int kind, handles, location, device;
  void* rest;
  size_t most_bytes;
};

}  // namespace

CUDA_API int cudaDeviceGetDefaultMemPool(Pool** out, int device) { return default_pool(out, device); }
CUDA_API int cudaDeviceGetMemPool(Pool** out, int device) { return default_pool(out, device); }
CUDA_API int cudaDeviceSetMemPool(int device, Pool* pool) {
  return with_pool(pool, [&](Runtime& runtime) {
    if (!runtime.has_device(device)) return cudaErrorInvalidDevice;
    pools().of_device[device] = pool;
    return cudaSuccess;
  });
}
CUDA_API int cudaMemPoolCreate(Pool** out, const PoolProperties* properties) {
  return call([&](Runtime& runtime) {
    if (out == nullptr || properties == nullptr) return cudaErrorInvalidValue;
    if (properties->kind != kPinnedPool) return cudaErrorInvalidValue;
    if (!runtime.has_device(properties->device)) return cudaErrorInvalidValue;
    *out = new_pool(properties->device);
    return cudaSuccess;
  });
}
CUDA_API int cudaMemPoolDestroy(Pool* pool) {
  return with_pool(pool, [&](Runtime&) {
    if (pool->of_gpu) return cudaErrorInvalidValue;
    std::erase_if(pools().of_device, [&](const auto& known) { return known.second == pool; });
    pools().all.erase(pool);
    return cudaSuccess;
  });
}
CUDA_API int cudaMemPoolSetAttribute(Pool* pool, int attribute, const void* value) {
  return with_pool(pool, [&](Runtime&) {
    if (attribute < kReuseFollowing || attribute > kUsedMost || value == nullptr) return cudaErrorInvalidValue;
    pool->attributes[attribute] = takes_int(attribute) ? static_cast<uint64_t>(*static_cast<const int*>(value))
                                                       : *static_cast<const uint64_t*>(value);
    return cudaSuccess;
  });
}
CUDA_API int cudaMemPoolGetAttribute(Pool* pool, int attribute, void* value) {
  return with_pool(pool, [&](Runtime& runtime) {
    if (attribute < kReuseFollowing || attribute > kUsedMost || value == nullptr) return cudaErrorInvalidValue;
    const bool use = attribute >= kReservedNow;
    const uint64_t out = use ? used_bytes(runtime, pool->device) : pool->attributes[attribute];
    if (takes_int(attribute)) *static_cast<int*>(value) = static_cast<int>(out);
    else *static_cast<uint64_t*>(value) = out;
    return cudaSuccess;
  });
}
CUDA_API int cudaMemPoolTrimTo(Pool* pool, size_t) {
  return with_pool(pool, [](Runtime&) { return cudaSuccess; });
}
struct PoolLocation {
  int type, id;
};
CUDA_API int cudaMemGetDefaultMemPool(Pool** out, const PoolLocation* location, int) {
  return location != nullptr ? default_pool(out, location->id) : int{cudaErrorInvalidValue};
}
CUDA_API int cudaMemGetMemPool(Pool** out, const PoolLocation* location, int) {
  return location != nullptr ? default_pool(out, location->id) : int{cudaErrorInvalidValue};
}
CUDA_API int cudaMemSetMemPool(const PoolLocation* location, int, Pool* pool) {
  return location != nullptr ? cudaDeviceSetMemPool(location->id, pool) : int{cudaErrorInvalidValue};
}
/// Every GPU reaches all memory.
CUDA_API int cudaMemPoolGetAccess(int* flags, Pool* pool, const PoolLocation* location) {
  return with_pool(pool, [&](Runtime&) {
    constexpr int kReadWrite = 3;
    if (flags == nullptr || location == nullptr) return cudaErrorInvalidValue;
    *flags = kReadWrite;
    return cudaSuccess;
  });
}
CUDA_API int cudaMemPoolSetAccess(Pool* pool, const void*, size_t) {
  return with_pool(pool, [](Runtime&) { return cudaSuccess; });
}
CUDA_API int cudaMallocFromPoolAsync(void** out, size_t size_bytes, Pool* pool, void*) {
  return with_pool(pool, [&](Runtime&) { return static_cast<Error>(cudaMalloc(out, size_bytes)); });
}
