// Memory pools: each knows what was taken from it. Memory comes from the GPU when it is asked for, and is given back at
// once.
#include "warplens/cuda_api/pool.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

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
  uint64_t used = 0, used_most = 0, reserved = 0, reserved_most = 0;  // bytes

  /// What an H200 reserves for what is used.
  uint64_t chunks() const {
    constexpr uint64_t kChunk = uint64_t{32} << 20;
    return (used + kChunk - 1) / kChunk * kChunk;
  }
  void take(uint64_t bytes) {
    used += bytes;
    used_most = std::max(used_most, used);
    reserved = std::max(reserved, chunks());
    reserved_most = std::max(reserved_most, reserved);
  }
  void release() { reserved = std::min(reserved, std::max(chunks(), attributes[kReleaseThreshold])); }
};

struct Pools {
  std::map<Pool*, std::unique_ptr<Pool>> all;
  std::map<int, Pool*> of_device;                             // by its number
  std::map<simt::Address, std::pair<Pool*, uint64_t>> taken;  // by address: from which, how much
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

Pool* pool_of_device(int device) {
  Pool*& pool = pools().of_device[device];
  if (pool == nullptr) (pool = new_pool(device))->of_gpu = true;
  return pool;
}

/// What a pool tells of its use; nothing for what it was told itself.
std::optional<uint64_t> use_of(const Pool& pool, int attribute) {
  switch (attribute) {
    case kReservedNow: return pool.reserved;
    case kReservedMost: return pool.reserved_most;
    case kUsedNow: return pool.used;
    case kUsedMost: return pool.used_most;
    default: return std::nullopt;
  }
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
        *out = pool_of_device(device);
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
    std::erase_if(pools().taken, [&](const auto& known) { return known.second.first == pool; });
    pools().all.erase(pool);
    return cudaSuccess;
  });
}
CUDA_API int cudaMemPoolSetAttribute(Pool* pool, int attribute, const void* value) {
  return with_pool(pool, [&](Runtime&) {
    if (attribute < kReuseFollowing || attribute > kUsedMost || value == nullptr) return cudaErrorInvalidValue;
    if (attribute == kUsedMost || attribute == kReservedMost) {  // begins again from now
      if (*static_cast<const uint64_t*>(value) != 0) return cudaErrorInvalidValue;
      if (attribute == kUsedMost) pool->used_most = pool->used;
      else pool->reserved_most = pool->reserved;
      return cudaSuccess;
    }
    if (use_of(*pool, attribute)) return cudaErrorInvalidValue;
    pool->attributes[attribute] = takes_int(attribute) ? static_cast<uint64_t>(*static_cast<const int*>(value))
                                                       : *static_cast<const uint64_t*>(value);
    return cudaSuccess;
  });
}
CUDA_API int cudaMemPoolGetAttribute(Pool* pool, int attribute, void* value) {
  return with_pool(pool, [&](Runtime&) {
    if (attribute < kReuseFollowing || attribute > kUsedMost || value == nullptr) return cudaErrorInvalidValue;
    const uint64_t out = use_of(*pool, attribute).value_or(pool->attributes[attribute]);
    if (takes_int(attribute)) *static_cast<int*>(value) = static_cast<int>(out);
    else *static_cast<uint64_t*>(value) = out;
    return cudaSuccess;
  });
}
CUDA_API int cudaMemPoolTrimTo(Pool* pool, size_t least_bytes) {
  return with_pool(pool, [&](Runtime&) {
    pool->reserved = std::min(pool->reserved, std::max(pool->used, uint64_t{least_bytes}));
    return cudaSuccess;
  });
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
CUDA_API int cudaMallocFromPoolAsync(void** out, size_t size_bytes, Pool* pool, void* stream) {
  return with_pool(pool, [&](Runtime&) {
    Pool*& current = pools().of_device[current_device()];
    Pool* const before = std::exchange(current, pool);  // cudaMallocAsync takes it from there
    const int error = cudaMallocAsync(out, size_bytes, stream);
    current = before;
    return static_cast<Error>(error);
  });
}

void warplens::cuda_api::take_from_pool(simt::Address address, uint64_t size_bytes) {
  Pool* const pool = pool_of_device(current_device());
  pool->take(size_bytes);
  pools().taken[address] = {pool, size_bytes};
}
void warplens::cuda_api::release_unused() {
  for (const auto& [pool, made] : pools().all) pool->release();
}
void warplens::cuda_api::give_to_pool(simt::Address address) {
  const auto found = pools().taken.find(address);
  if (found == pools().taken.end()) return;
  found->second.first->used -= found->second.second;
  pools().taken.erase(found);
}
void* warplens::cuda_api::pool_holding(simt::Address first) {
  const auto found = pools().taken.find(first);
  return found != pools().taken.end() ? found->second.first : nullptr;
}
