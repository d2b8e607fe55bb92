// Managed memory lies where both sides reach it: there is nothing to move. What programs say of it is checked and kept.
#include <algorithm>

#include "warplens/cuda_api/runtime.h"

using namespace warplens;
using namespace warplens::cuda_api;

namespace {

enum LocationKind : int { kNowhere = 0, kDeviceLocation = 1, kHostLocation = 2, kLastLocation = 4 };
struct MemoryLocation {
  int type, id;
};
enum Advice : int { kSetReadMostly = 1, kUnsetReadMostly, kSetPreferred, kUnsetPreferred, kSetAccessedBy, kLastAdvice };
enum RangeAttribute : int {
  kReadMostly = 1,
  kPreferred,
  kAccessedBy,
  kLastPrefetch,
  kPreferredType,
  kPreferredId,
  kLastPrefetchType,
  kLastPrefetchId
};
constexpr int kHost = -1, kNoDevice = -2;

/// What was said of an allocation, by its number.
struct Said {
  bool read_mostly = false;
  MemoryLocation preferred{}, prefetched{};
  std::set<int> accessed_by;
};
std::map<uint64_t, Said>& said() {
  static auto* all = new std::map<uint64_t, Said>;
  return *all;
}

/// What was said of the managed allocation that holds the range. Errors: any other range.
Error managed(const Runtime& runtime, const void* pointer, size_t size_bytes, Said** out) {
  const Allocation* holder = size_bytes > 0 ? runtime.holder(pointer, size_bytes) : nullptr;
  if (holder == nullptr || holder->storage != Storage::kManaged) return cudaErrorInvalidValue;
  *out = &said()[holder->number];
  return cudaSuccess;
}

Error check_location(const Runtime& runtime, const MemoryLocation& location) {
  if (location.type <= kNowhere || location.type > kLastLocation) return cudaErrorInvalidValue;
  const bool device = location.id >= 0 && location.id < runtime.devices;
  return location.type == kDeviceLocation && !device ? cudaErrorInvalidDevice : cudaSuccess;
}

Error prefetch(Runtime& runtime, const void* pointer, size_t size_bytes, const MemoryLocation& location, void* stream) {
  if (runtime.stream(stream) == nullptr) return cudaErrorInvalidResourceHandle;
  Said* about = nullptr;
  if (const Error error = managed(runtime, pointer, size_bytes, &about); error != cudaSuccess) return error;
  if (const Error error = check_location(runtime, location); error != cudaSuccess) return error;
  about->prefetched = location;
  return cudaSuccess;
}

int as_device(const MemoryLocation& location) {
  return location.type == kNowhere ? kNoDevice : location.type == kDeviceLocation ? location.id : kHost;
}

Error range_attribute(const Runtime& runtime, void* data, size_t data_bytes, int attribute, const void* pointer,
                      size_t size_bytes) {
  Said* about = nullptr;
  if (data == nullptr || data_bytes < sizeof(int) || data_bytes % sizeof(int) != 0) return cudaErrorInvalidValue;
  if (const Error error = managed(runtime, pointer, size_bytes, &about); error != cudaSuccess) return error;
  int* out = static_cast<int*>(data);
  switch (attribute) {
    case kReadMostly: *out = about->read_mostly ? 1 : 0; break;
    case kPreferred: *out = as_device(about->preferred); break;
    case kLastPrefetch: *out = as_device(about->prefetched); break;
    case kPreferredType: *out = about->preferred.type; break;
    case kPreferredId: *out = about->preferred.id; break;
    case kLastPrefetchType: *out = about->prefetched.type; break;
    case kLastPrefetchId: *out = about->prefetched.id; break;
    case kAccessedBy: {
      std::fill_n(out, data_bytes / sizeof(int), kNoDevice);
      size_t at = 0;
      for (const int device : about->accessed_by) {
        if (at < data_bytes / sizeof(int)) out[at++] = device;
      }
      break;
    }
    default: return cudaErrorInvalidValue;
  }
  return cudaSuccess;
}

/// Ranges that lose what they hold: nothing reads it then, so that it may as well stay.
int with_ranges(void** pointers, const size_t* sizes, size_t count, void* stream,
                const char* name = __builtin_FUNCTION()) {
  return call(
      [&](Runtime& runtime) {
        if (pointers == nullptr || sizes == nullptr || count == 0) return cudaErrorInvalidValue;
        if (runtime.stream(stream) == nullptr) return cudaErrorInvalidResourceHandle;
        Said* about = nullptr;
        for (size_t i = 0; i < count; ++i) {
          if (const Error error = managed(runtime, pointers[i], sizes[i], &about); error != cudaSuccess) return error;
        }
        return cudaSuccess;
      },
      name);
}

}  // namespace

CUDA_API int cudaMemPrefetchAsync(const void* pointer, size_t size_bytes, MemoryLocation location, unsigned flags,
                                  void* stream) {
  return call([&](Runtime& runtime) {
    return flags == 0 ? prefetch(runtime, pointer, size_bytes, location, stream) : cudaErrorInvalidValue;
  });
}

CUDA_API int cudaMemAdvise(const void* pointer, size_t size_bytes, int advice, MemoryLocation location) {
  return call([&](Runtime& runtime) {
    Said* about = nullptr;
    if (advice < kSetReadMostly || advice > kLastAdvice) return cudaErrorInvalidValue;
    if (const Error error = managed(runtime, pointer, size_bytes, &about); error != cudaSuccess) return error;
    const bool needs_location = advice == kSetPreferred || advice >= kSetAccessedBy;
    if (const Error error = check_location(runtime, location); needs_location && error != cudaSuccess) return error;
    if (advice <= kUnsetReadMostly) about->read_mostly = advice == kSetReadMostly;
    else if (advice == kSetPreferred) about->preferred = location;
    else if (advice == kUnsetPreferred) about->preferred = {};
    else if (advice == kSetAccessedBy) about->accessed_by.insert(as_device(location));
    else about->accessed_by.erase(as_device(location));
    return cudaSuccess;
  });
}

/// CUDA 12's driver forms: a device's number, or -1 for the host.
CUDA_API int cuMemPrefetchAsync(const void* pointer, size_t size_bytes, int device, void* stream) {
  return cudaMemPrefetchAsync(pointer, size_bytes, {device < 0 ? kHostLocation : kDeviceLocation, device}, 0, stream);
}
CUDA_API int cuMemAdvise(const void* pointer, size_t size_bytes, int advice, int device) {
  return cudaMemAdvise(pointer, size_bytes, advice, {device < 0 ? kHostLocation : kDeviceLocation, device});
}

CUDA_API int cudaMemRangeGetAttribute(void* data, size_t data_bytes, int attribute, const void* pointer,
                                      size_t size_bytes) {
  return call(
      [&](Runtime& runtime) { return range_attribute(runtime, data, data_bytes, attribute, pointer, size_bytes); });
}
CUDA_API int cudaMemRangeGetAttributes(void** data, const size_t* data_bytes, const int* attributes, size_t count,
                                       const void* pointer, size_t size_bytes) {
  return call([&](Runtime& runtime) {
    if (data == nullptr || data_bytes == nullptr || attributes == nullptr || count == 0) return cudaErrorInvalidValue;
    Error error = cudaSuccess;
    for (size_t i = 0; i < count && error == cudaSuccess; ++i)
      error = range_attribute(runtime, data[i], data_bytes[i], attributes[i], pointer, size_bytes);
    return error;
  });
}

CUDA_API int cudaMemPrefetchBatchAsync(void** pointers, const size_t* sizes, size_t count,
                                       const MemoryLocation* locations, const size_t* first_of, size_t location_count,
                                       unsigned long long flags, void* stream) {
  return call([&](Runtime& runtime) {
    if (pointers == nullptr || sizes == nullptr || count == 0 || locations == nullptr || first_of == nullptr ||
        location_count == 0 || first_of[0] != 0 || flags != 0)
      return cudaErrorInvalidValue;
    size_t which = 0;
    for (size_t i = 0; i < count; ++i) {
      while (which + 1 < location_count && first_of[which + 1] <= i) ++which;
      const Error error = prefetch(runtime, pointers[i], sizes[i], locations[which], stream);
      if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
  });
}
CUDA_API int cudaMemDiscardBatchAsync(void** pointers, const size_t* sizes, size_t count, unsigned long long,
                                      void* stream) {
  return with_ranges(pointers, sizes, count, stream);
}
CUDA_API int cudaMemDiscardAndPrefetchBatchAsync(void** pointers, const size_t* sizes, size_t count,
                                                 const MemoryLocation* locations, const size_t* first_of,
                                                 size_t location_count, unsigned long long flags, void* stream) {
  return cudaMemPrefetchBatchAsync(pointers, sizes, count, locations, first_of, location_count, flags, stream);
}
