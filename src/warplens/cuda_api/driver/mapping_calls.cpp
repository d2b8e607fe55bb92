// The driver's virtual memory: addresses are reserved, memory is made, and one is mapped to the other.
#include <algorithm>

#include "warplens/cuda_api/driver/driver.h"

using namespace warplens;
using namespace warplens::cuda_api;

namespace {

constexpr size_t kGranularity = size_t{2} << 20;

struct Location {
  int kind, id;
};
struct MemoryProperties {
  int kind, handles;
  Location location;
  void* rest;
  uint8_t flags[8];
};
static_assert(sizeof(MemoryProperties) == 32);

/// What cuMemCreate makes. Its bytes come to be where it is first mapped.
struct PhysicalMemory {
  size_t size_bytes = 0;
  int device = 0;
};

std::map<uint64_t, PhysicalMemory>& created() {
  static auto* all = new std::map<uint64_t, PhysicalMemory>;
  return *all;
}

}  // namespace

CUDA_API int cuMemGetAllocationGranularity(size_t* bytes, const MemoryProperties*, int) {
  return in_driver([&](Runtime&) {
    if (bytes == nullptr) return cudaErrorInvalidValue;
    *bytes = kGranularity;
    return cudaSuccess;
  });
}

CUDA_API int cuMemAddressReserve(simt::Address* out, size_t size_bytes, size_t, simt::Address, uint64_t flags) {
  return in_driver([&](Runtime& runtime) {
    if (out == nullptr || flags != 0 || size_bytes == 0 || size_bytes % kGranularity != 0) return cudaErrorInvalidValue;
    const Result<simt::Address> made = runtime.memory.allocate(size_bytes, "cuMemAddressReserve");
    if (!made.ok()) return cudaErrorMemoryAllocation;
    Driver::get().reserved[*made] = size_bytes;
    *out = *made;
    return cudaSuccess;
  });
}
CUDA_API int cuMemAddressFree(simt::Address address, size_t) {
  return in_driver([&](Runtime& runtime) {
    if (Driver::get().reserved.erase(address) == 0) return cudaErrorInvalidValue;
    return runtime.memory.free(address).ok() ? cudaSuccess : cudaErrorInvalidValue;
  });
}

CUDA_API int cuMemCreate(uint64_t* handle, size_t size_bytes, const MemoryProperties* properties, uint64_t) {
  return in_driver([&](Runtime& runtime) {
    if (handle == nullptr || properties == nullptr || size_bytes % kGranularity != 0) return cudaErrorInvalidValue;
    constexpr int kOnDevice = 1;
    const int device = properties->location.id;
    if (properties->location.kind == kOnDevice && !runtime.has_device(device)) return cudaErrorInvalidDevice;
    if (size_bytes > runtime.memory_bytes()) return cudaErrorMemoryAllocation;
    static uint64_t next = 1;
    *handle = next++;
    created()[*handle] = {size_bytes, device};
    return cudaSuccess;
  });
}
CUDA_API int cuMemRelease(uint64_t handle) {
  return in_driver([&](Runtime&) { return created().erase(handle) != 0 ? cudaSuccess : cudaErrorInvalidValue; });
}

CUDA_API int cuMemMap(simt::Address address, size_t size_bytes, size_t offset, uint64_t handle, uint64_t) {
  return in_driver([&](Runtime& runtime) {
    const auto memory = created().find(handle);
    const auto& reserved = Driver::get().reserved;
    auto after = reserved.upper_bound(address);
    if (memory == created().end() || after == reserved.begin() || offset != 0) return cudaErrorInvalidValue;
    const auto& [begin, reserved_bytes] = *--after;
    if (size_bytes > memory->second.size_bytes || address - begin > reserved_bytes ||
        size_bytes > reserved_bytes - (address - begin)) {
      return cudaErrorInvalidValue;
    }
    runtime.allocations[address] = {Storage::kDevice, size_bytes, memory->second.device, "cuMemMap",
                                    ++runtime.allocated};
    return cudaSuccess;
  });
}
CUDA_API int cuMemUnmap(simt::Address address, size_t) {
  return in_driver(
      [&](Runtime& runtime) { return runtime.allocations.erase(address) != 0 ? cudaSuccess : cudaErrorInvalidValue; });
}
CUDA_API int cuMemSetAccess(simt::Address address, size_t size_bytes, const void* wanted, size_t count) {
  return in_driver([&](Runtime& runtime) {
    const bool mapped = runtime.holder(reinterpret_cast<const void*>(address), 1) != nullptr;
    return mapped && size_bytes > 0 && wanted != nullptr && count > 0 ? cudaSuccess : cudaErrorInvalidValue;
  });
}
