// The driver's memory: allocations, copies, fills, and what a pointer points at.
#include <algorithm>
#include <cstring>

#include "warplens/cuda_api/arrays.h"
#include "warplens/cuda_api/box.h"
#include "warplens/cuda_api/calls.h"
#include "warplens/cuda_api/copies.h"
#include "warplens/cuda_api/driver/driver.h"
#include "warplens/cuda_api/pool.h"
#include "warplens/cuda_api/submit.h"

using namespace warplens;
using namespace warplens::cuda_api;

namespace {

using DevicePointer = simt::Address;

void* pointer(DevicePointer address) { return reinterpret_cast<void*>(address); }
void** as_pointer(DevicePointer* out) { return reinterpret_cast<void**>(out); }

int copy_call(void* target, const void* source, size_t size_bytes, int kind, void* stream) {
  return on_stream(stream, [&](Runtime&) { return cudaMemcpyAsync(target, source, size_bytes, kind, stream); });
}

/// `count` elements in each row, all with this value.
int fill_call(DevicePointer target, size_t pitch, uint32_t value, uint32_t element_bytes, size_t count, size_t rows,
              void* stream) {
  return on_stream(stream, [&](Runtime& runtime) {
    if (target % element_bytes != 0) return cudaErrorInvalidValue;
    const FillPattern pattern{{pointer(target), pitch}, value, element_bytes, count, rows};
    return submit(runtime, stream, NodeKind::kFill, [=](Runtime& then) { return fill_pattern(then, pattern); });
  });
}

/// Rows of one plane of a side.
template <typename Side>
Error rows_of(Runtime& runtime, const Side& side, size_t z, size_t height, Rows* rows) {
  if (side.kind == kArrayMemory) {
    const Array* array = find_array(runtime, side.array);
    if (array == nullptr) return cudaErrorInvalidResourceHandle;
    *rows = place_in(*array, side.x_bytes, side.y, z).rows;
    return cudaSuccess;
  }
  if (side.kind < kHostMemory || side.kind > kUnifiedMemory) return cudaErrorInvalidValue;
  auto* base = static_cast<char*>(side.kind == kHostMemory ? side.host : pointer(side.device));
  *rows = {base + (z * height + side.y) * side.pitch + side.x_bytes, side.pitch};
  return cudaSuccess;
}

template <typename Side>
Error check_array(Runtime& runtime, const Side& side, size_t z, size_t width_bytes, size_t rows, size_t planes) {
  if (side.kind != kArrayMemory) return cudaSuccess;
  const Array* array = find_array(runtime, side.array);
  if (array == nullptr) return cudaErrorInvalidResourceHandle;
  return holds(*array, side.x_bytes, side.y, z, width_bytes, rows, planes) ? cudaSuccess : cudaErrorInvalidValue;
}

int kind_of(int from, int to) {
  const bool from_host = from == kHostMemory, to_host = to == kHostMemory;
  if (from == kUnifiedMemory || to == kUnifiedMemory) return kDefault;
  return from_host ? (to_host ? kHostToHost : kHostToDevice) : to_host ? kDeviceToHost : kDeviceToDevice;
}

Error copy_2d(Runtime& runtime, const Copy2D& c) {
  for (const Side2D* side : {&c.source, &c.target}) {
    if (const Error error = check_array(runtime, *side, 0, c.width_bytes, c.rows, 1); error != cudaSuccess)
      return error;
  }
  Rows from, to;
  if (const Error error = rows_of(runtime, c.source, 0, 0, &from); error != cudaSuccess) return error;
  if (const Error error = rows_of(runtime, c.target, 0, 0, &to); error != cudaSuccess) return error;
  return copy_rows(runtime, to, from, c.width_bytes, c.rows, kind_of(c.source.kind, c.target.kind));
}

void* owner_of(const Allocation* allocation) {
  if (allocation == nullptr) return primary_of(0);
  return allocation->context != nullptr ? allocation->context : primary_of(allocation->device);
}

/// A call that allocates in the current context.
template <typename F>
int allocate(void* const* out, F work) {
  return in_context([&](Runtime& runtime) {
    const int error = work();
    if (error != cudaSuccess) return error;
    const auto made = runtime.allocations.find(reinterpret_cast<simt::Address>(*out));
    Context* const current = context_stack().back();
    if (made != runtime.allocations.end() && current != primary_of(made->second.device)) made->second.context = current;
    return error;
  });
}

/// What cuPointerGetAttribute tells.
enum PointerAttribute : int {
  kContextOf = 1,
  kMemoryTypeOf = 2,
  kDevicePointerOf = 3,
  kHostPointerOf = 4,
  kTokensOf = 5,
  kSyncOf = 6,
  kBufferIdOf = 7,
  kIsManaged = 8,
  kOrdinalOf = 9,
  kForProcesses = 10,
  kRangeStartOf = 11,
  kRangeSizeOf = 12,
  kIsMapped = 13,
  kPoolOf = 17,
  kLastPointerAttribute = 21,
};

Error attribute_of(Runtime& runtime, DevicePointer address, int attribute, void* out) {
  const Allocation* allocation = runtime.holder(pointer(address), 1);
  const bool host = runtime.is_registered(pointer(address));
  simt::Range range;
  const bool known = runtime.memory.range(address, range);
  if (allocation == nullptr && !host && !known) return cudaErrorInvalidValue;
  const bool pinned = host || (allocation != nullptr && allocation->storage == Storage::kPinned);
  switch (attribute) {
    case kContextOf: *static_cast<void**>(out) = owner_of(allocation); break;
    case kMemoryTypeOf: *static_cast<unsigned*>(out) = pinned ? kHostMemory : kDeviceMemory; break;
    case kHostPointerOf:
      if (allocation != nullptr && allocation->storage == Storage::kDevice) return cudaErrorInvalidValue;
      [[fallthrough]];
    case kDevicePointerOf: *static_cast<DevicePointer*>(out) = address; break;
    case kSyncOf: *static_cast<unsigned*>(out) = 0; break;
    case kBufferIdOf: *static_cast<uint64_t*>(out) = allocation != nullptr ? allocation->number : 0; break;
    case kIsManaged:
      *static_cast<unsigned*>(out) = allocation != nullptr && allocation->storage == Storage::kManaged;
      break;
    case kOrdinalOf: *static_cast<int*>(out) = allocation != nullptr ? allocation->device : current_device(); break;
    case kForProcesses:
      *static_cast<unsigned*>(out) = allocation != nullptr && allocation->storage == Storage::kDevice;
      break;
    case kIsMapped: *static_cast<unsigned*>(out) = 1; break;
    case kPoolOf: *static_cast<void**>(out) = pool_holding(range.begin); break;
    case kRangeStartOf: *static_cast<DevicePointer*>(out) = range.begin; break;
    case kRangeSizeOf: *static_cast<size_t*>(out) = range.end - range.begin; break;
    default: return attribute > 0 && attribute <= kLastPointerAttribute ? cudaErrorNotSupported : cudaErrorInvalidValue;
  }
  return cudaSuccess;
}

/// An attribute that memory does not have, as the call for several tells it.
void set_none(int attribute, void* out) {
  constexpr int kNoDevice = -2;
  if (attribute == kOrdinalOf) *static_cast<int*>(out) = kNoDevice;
  else if (attribute == kMemoryTypeOf || attribute == kSyncOf || attribute == kIsManaged ||
           attribute == kForProcesses || attribute == kIsMapped)
    *static_cast<unsigned*>(out) = 0;
  else if ((attribute <= kRangeSizeOf && attribute != kTokensOf) || attribute == kPoolOf)
    *static_cast<uint64_t*>(out) = 0;
}

}  // namespace

Error warplens::cuda_api::copy_box(Runtime& runtime, const CopyOfBox& c) {
  for (const SideOfBox* side : {&c.source, &c.target}) {
    const Error error = check_array(runtime, *side, side->z, c.width_bytes, c.rows, c.planes);
    if (error != cudaSuccess) return error;
  }
  Error error = cudaSuccess;
  for (size_t plane = 0; plane < c.planes && error == cudaSuccess; ++plane) {
    Rows from, to;
    error = rows_of(runtime, c.source, c.source.z + plane, c.source.height, &from);
    if (error == cudaSuccess) error = rows_of(runtime, c.target, c.target.z + plane, c.target.height, &to);
    if (error == cudaSuccess)
      error = copy_rows(runtime, to, from, c.width_bytes, c.rows, kind_of(c.source.kind, c.target.kind));
  }
  return error;
}

CUDA_API int cuMemAlloc_v2(DevicePointer* out, size_t size_bytes) {
  if (size_bytes == 0 || out == nullptr) return in_context([](Runtime&) { return cudaErrorInvalidValue; });
  return allocate(as_pointer(out), [&] { return cudaMalloc(as_pointer(out), size_bytes); });
}
CUDA_API int cuMemAllocAsync(DevicePointer* out, size_t size_bytes, void* stream) {
  return on_stream(stream, [&](Runtime&) -> int {
    return size_bytes == 0 ? int{cudaErrorInvalidValue} : cudaMallocAsync(as_pointer(out), size_bytes, stream);
  });
}
CUDA_API int cuMemAllocManaged(DevicePointer* out, size_t size_bytes, unsigned flags) {
  return allocate(as_pointer(out), [&] { return cudaMallocManaged(as_pointer(out), size_bytes, flags); });
}
CUDA_API int cuMemAllocPitch_v2(DevicePointer* out, size_t* pitch, size_t width_bytes, size_t rows, unsigned element) {
  if (element != 4 && element != 8 && element != 16) return kDriverInvalidValue;
  return allocate(as_pointer(out), [&] { return cudaMallocPitch(as_pointer(out), pitch, width_bytes, rows); });
}
CUDA_API int cuMemFree_v2(DevicePointer address) {
  return in_driver([&](Runtime&) { return cudaFree(pointer(address)); });
}
CUDA_API int cuMemFreeAsync(DevicePointer address, void* stream) {
  return on_stream(stream, [&](Runtime&) { return cudaFreeAsync(pointer(address), stream); });
}
CUDA_API int cuMemAllocHost_v2(void** out, size_t size_bytes) {
  return allocate(out, [&] { return cudaMallocHost(out, size_bytes); });
}
CUDA_API int cuMemHostAlloc(void** out, size_t size_bytes, unsigned) { return cuMemAllocHost_v2(out, size_bytes); }
CUDA_API int cuMemFreeHost(void* host) {
  return in_driver([&](Runtime&) { return cudaFreeHost(host); });
}
CUDA_API int cuMemHostRegister_v2(void* host, size_t size_bytes, unsigned flags) {
  return in_context([&](Runtime&) { return cudaHostRegister(host, size_bytes, flags); });
}
CUDA_API int cuMemHostUnregister(void* host) {
  return in_driver([&](Runtime&) { return cudaHostUnregister(host); });
}
CUDA_API int cuMemHostGetDevicePointer_v2(DevicePointer* out, void* host, unsigned flags) {
  return in_context([&](Runtime&) { return cudaHostGetDevicePointer(as_pointer(out), host, flags); });
}
CUDA_API int cuMemGetInfo_v2(size_t* free, size_t* total) {
  return in_context([&](Runtime&) { return cudaMemGetInfo(free, total); });
}
CUDA_API int cuMemGetAddressRange_v2(DevicePointer* base, size_t* size_bytes, DevicePointer address) {
  return in_context([&](Runtime& runtime) {
    simt::Range range;
    if (!runtime.memory.range(address, range)) return cudaErrorSymbolNotFound;
    if (base != nullptr) *base = range.begin;
    if (size_bytes != nullptr) *size_bytes = range.end - range.begin;
    return cudaSuccess;
  });
}
CUDA_API int cuPointerGetAttribute(void* out, int attribute, DevicePointer address) {
  return in_driver([&](Runtime& runtime) { return attribute_of(runtime, address, attribute, out); });
}
CUDA_API int cuPointerGetAttributes(unsigned count, const int* attributes, void** out, DevicePointer address) {
  if (out == nullptr) return cudaErrorInvalidValue;
  return in_driver([&](Runtime& runtime) {
    for (unsigned i = 0; i < count; ++i) {
      if (out[i] == nullptr) return cudaErrorInvalidValue;
      const Error error = attribute_of(runtime, address, attributes[i], out[i]);
      if (error != cudaSuccess) set_none(attributes[i], out[i]);
    }
    return cudaSuccess;
  });
}

CUDA_API int cuMemcpy(DevicePointer target, DevicePointer source, size_t size_bytes) {
  return copy_call(pointer(target), pointer(source), size_bytes, kDefault, nullptr);
}
CUDA_API int cuMemcpyAsync(DevicePointer target, DevicePointer source, size_t size_bytes, void* stream) {
  return copy_call(pointer(target), pointer(source), size_bytes, kDefault, stream);
}
CUDA_API int cuMemcpyPeer(DevicePointer target, void*, DevicePointer source, void*, size_t size_bytes) {
  return copy_call(pointer(target), pointer(source), size_bytes, kDeviceToDevice, nullptr);
}
CUDA_API int cuMemcpyHtoDAsync_v2(DevicePointer target, const void* source, size_t size_bytes, void* stream) {
  return copy_call(pointer(target), source, size_bytes, kHostToDevice, stream);
}
CUDA_API int cuMemcpyHtoD_v2(DevicePointer target, const void* source, size_t size_bytes) {
  return cuMemcpyHtoDAsync_v2(target, source, size_bytes, nullptr);
}
CUDA_API int cuMemcpyDtoHAsync_v2(void* target, DevicePointer source, size_t size_bytes, void* stream) {
  return copy_call(target, pointer(source), size_bytes, kDeviceToHost, stream);
}
CUDA_API int cuMemcpyDtoH_v2(void* target, DevicePointer source, size_t size_bytes) {
  return cuMemcpyDtoHAsync_v2(target, source, size_bytes, nullptr);
}
CUDA_API int cuMemcpyDtoDAsync_v2(DevicePointer target, DevicePointer source, size_t size_bytes, void* stream) {
  return copy_call(pointer(target), pointer(source), size_bytes, kDeviceToDevice, stream);
}
CUDA_API int cuMemcpyDtoD_v2(DevicePointer target, DevicePointer source, size_t size_bytes) {
  return cuMemcpyDtoDAsync_v2(target, source, size_bytes, nullptr);
}
CUDA_API int cuMemcpy2DAsync_v2(const Copy2D* parameters, void* stream) {
  return on_stream(stream, [&](Runtime& runtime) {
    if (parameters == nullptr) return cudaErrorInvalidValue;
    return submit(runtime, stream, NodeKind::kCopy, [all = *parameters](Runtime& then) { return copy_2d(then, all); });
  });
}
CUDA_API int cuMemcpy2D_v2(const Copy2D* parameters) { return cuMemcpy2DAsync_v2(parameters, nullptr); }
CUDA_API int cuMemcpy2DUnaligned_v2(const Copy2D* parameters) { return cuMemcpy2DAsync_v2(parameters, nullptr); }
CUDA_API int cuMemcpy3DAsync_v2(const CopyOfBox* parameters, void* stream) {
  return on_stream(stream, [&](Runtime& runtime) {
    if (parameters == nullptr) return cudaErrorInvalidValue;
    return submit(runtime, stream, NodeKind::kCopy, [all = *parameters](Runtime& then) { return copy_box(then, all); });
  });
}
CUDA_API int cuMemcpy3D_v2(const CopyOfBox* parameters) { return cuMemcpy3DAsync_v2(parameters, nullptr); }
/// CUDA_MEMCPY3D_PEER names the contexts in fields that CUDA_MEMCPY3D keeps free. Addresses say enough.
CUDA_API int cuMemcpy3DPeerAsync(const CopyOfBox* parameters, void* stream) {
  return cuMemcpy3DAsync_v2(parameters, stream);
}
CUDA_API int cuMemcpy3DPeer(const CopyOfBox* parameters) { return cuMemcpy3DAsync_v2(parameters, nullptr); }

/// CUDA 12's form: `failed` is the first copy that could not be done.
CUDA_API int cuMemcpyBatchAsync(void* const* targets, const void* const* sources, const size_t* sizes, size_t count,
                                const void* attributes, const size_t* first_of, size_t attribute_count, size_t* failed,
                                void* stream) {
  if (failed != nullptr) *failed = SIZE_MAX;  // not of a certain one
  return on_stream(stream, [&](Runtime&) {
    return cudaMemcpyBatchAsync(targets, sources, sizes, count, attributes, first_of, attribute_count, stream);
  });
}

CUDA_API int cuMemsetD8Async(DevicePointer target, uint8_t value, size_t count, void* stream) {
  return fill_call(target, count, value, 1, count, 1, stream);
}
CUDA_API int cuMemsetD8_v2(DevicePointer target, uint8_t value, size_t count) {
  return cuMemsetD8Async(target, value, count, nullptr);
}
CUDA_API int cuMemsetD16Async(DevicePointer target, uint16_t value, size_t count, void* stream) {
  return fill_call(target, 2 * count, value, 2, count, 1, stream);
}
CUDA_API int cuMemsetD16_v2(DevicePointer target, uint16_t value, size_t count) {
  return cuMemsetD16Async(target, value, count, nullptr);
}
CUDA_API int cuMemsetD32Async(DevicePointer target, uint32_t value, size_t count, void* stream) {
  return fill_call(target, 4 * count, value, 4, count, 1, stream);
}
CUDA_API int cuMemsetD32_v2(DevicePointer target, uint32_t value, size_t count) {
  return cuMemsetD32Async(target, value, count, nullptr);
}
CUDA_API int cuMemsetD2D8_v2(DevicePointer target, size_t pitch, uint8_t value, size_t width, size_t rows) {
  return fill_call(target, pitch, value, 1, width, rows, nullptr);
}
CUDA_API int cuMemsetD2D32_v2(DevicePointer target, size_t pitch, uint32_t value, size_t width, size_t rows) {
  return fill_call(target, pitch, value, 4, width, rows, nullptr);
}

CUDA_API int cuMemsetD2D16_v2(DevicePointer target, size_t pitch, uint16_t value, size_t width, size_t rows) {
  return fill_call(target, pitch, value, 2, width, rows, nullptr);
}
CUDA_API int cuMemsetD2D8Async(DevicePointer target, size_t pitch, uint8_t value, size_t width, size_t rows,
                               void* stream) {
  return fill_call(target, pitch, value, 1, width, rows, stream);
}
CUDA_API int cuMemsetD2D16Async(DevicePointer target, size_t pitch, uint16_t value, size_t width, size_t rows,
                                void* stream) {
  return fill_call(target, pitch, value, 2, width, rows, stream);
}
CUDA_API int cuMemsetD2D32Async(DevicePointer target, size_t pitch, uint32_t value, size_t width, size_t rows,
                                void* stream) {
  return fill_call(target, pitch, value, 4, width, rows, stream);
}
