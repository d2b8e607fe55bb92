// Memory: of the device, of the host where it is pinned, and of both.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>

#include "warplens/base/system_memory.h"
#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/cuda_api/checked_launch.h"
#include "warplens/cuda_api/ipc/ipc.h"
#include "warplens/cuda_api/pool.h"
#include "warplens/cuda_api/submit.h"

using namespace warplens;
using namespace warplens::cuda_api;

namespace {

constexpr size_t kPitchBytes = 512;
constexpr uint64_t kKeptBack = uint64_t{256} << 20;  // of this machine's memory, for the emulator itself

simt::Address address(const void* pointer) { return reinterpret_cast<simt::Address>(pointer); }

uint64_t used_bytes(const Runtime& runtime) {
  uint64_t used = 0;
  for (const auto& [begin, allocation] : runtime.allocations) used += allocation.size_bytes;
  return used;
}

uint64_t free_on_gpu(const Runtime& runtime) {
  return runtime.memory_bytes() - std::min(runtime.memory_bytes(), used_bytes(runtime));
}

/// What the GPU has left, or this machine where that is less.
uint64_t free_bytes(const Runtime& runtime) {
  const uint64_t here = available_memory_bytes();
  return std::min(free_on_gpu(runtime), here - std::min(here, kKeptBack));
}

/// Small ones are counted together before the system is asked, which takes longer than all the rest.
bool has_room(Runtime& runtime, uint64_t size_bytes) {
  constexpr uint64_t kUnasked = uint64_t{16} << 20;
  if (size_bytes > free_on_gpu(runtime)) return false;
  runtime.unasked_bytes += size_bytes;
  if (runtime.unasked_bytes < kUnasked) return true;
  runtime.unasked_bytes = 0;
  return size_bytes <= free_bytes(runtime);
}

/// The emulated GPU may have what this computer has not.
Error tell_no_room(Runtime& runtime, uint64_t size_bytes, const char* call) {
  if (size_bytes > free_on_gpu(runtime)) return cudaErrorMemoryAllocation;
  return runtime.tell(cudaErrorMemoryAllocation,
                      fmt::format("{}: the program requests {} more, which the GPU would have; this computer has only "
                                  "{} left, so the program gets "
                                  "cudaErrorMemoryAllocation: use smaller sizes, or a computer with more memory",
                                  call, format_bytes(static_cast<double>(size_bytes)),
                                  format_bytes(static_cast<double>(free_bytes(runtime)))));
}

Error allocate(Runtime& runtime, void** out, size_t size_bytes, Storage storage, const char* call) {
  if (out == nullptr) return cudaErrorInvalidValue;
  *out = nullptr;
  if (size_bytes == 0) return cudaSuccess;
  if (!has_room(runtime, size_bytes)) return tell_no_room(runtime, size_bytes, call);
  const Result<simt::Address> made = runtime.memory.allocate(size_bytes, call);
  if (!made.ok()) return cudaErrorMemoryAllocation;
  runtime.allocations[*made] = {storage, size_bytes,          current_device(),
                                call,    ++runtime.allocated, runtime.launch_watch.leaks ? call_site() : CallSite()};
  if (storage == Storage::kDevice && runtime.checks(simt::kCheckInit)) runtime.memory.mark_uninitialised(*made);
  *out = reinterpret_cast<void*>(*made);
  if (runtime.recording && storage != Storage::kPinned)
    runtime.recording->allocation(*made, static_cast<int64_t>(size_bytes));
  return cudaSuccess;
}

Error release(Runtime& runtime, void* pointer, bool pinned) {
  if (pointer == nullptr || runtime.give_back_graph_memory(address(pointer))) return cudaSuccess;
  const auto found = runtime.allocations.find(address(pointer));
  if (found == runtime.allocations.end() || found->second.is_variable() || found->second.is_mapped ||
      (found->second.storage == Storage::kPinned) != pinned) {
    report_refused_free(runtime, pointer, pinned);
    return cudaErrorInvalidValue;
  }
  end_export(address(pointer));
  if (!runtime.memory.free(address(pointer)).ok()) return cudaErrorInvalidValue;
  if (runtime.recording && !pinned) {
    runtime.recording->allocation(address(pointer), -static_cast<int64_t>(found->second.size_bytes));
  }
  give_to_pool(address(pointer));
  runtime.allocations.erase(found);
  return cudaSuccess;
}

/// Memory of the host that kernels may use.
bool is_pinned(const Runtime& runtime, const void* pointer) {
  const Allocation* allocation = runtime.holder(pointer, 1);
  return allocation != nullptr ? allocation->storage != Storage::kDevice : runtime.is_registered(pointer);
}

/// A call that may wait for the GPU.
template <typename F>
int unsafe_call(F work, const char* name) {
  return call(
      [&](Runtime& runtime) {
        const Error error = refuse_unsafe(runtime);
        return error == cudaSuccess ? work(runtime) : error;
      },
      name);
}

int allocate_call(void** out, size_t size_bytes, Storage storage, const char* name = __builtin_FUNCTION()) {
  return unsafe_call([&](Runtime& runtime) { return allocate(runtime, out, size_bytes, storage, name); }, name);
}

int release_call(void* pointer, bool pinned, const char* name = __builtin_FUNCTION()) {
  return unsafe_call([&](Runtime& runtime) { return release(runtime, pointer, pinned); }, name);
}

}  // namespace

namespace {

constexpr unsigned kMappedHost = 2;  // all pinned memory is

/// What the program asked for by flags that matter to nobody but cudaHostGetFlags; `set` replaces it.
unsigned flags_of_host(const void* pointer, std::optional<unsigned> set = {}) {
  static std::mutex mutex;
  static std::map<const void*, unsigned> all;
  const std::lock_guard lock(mutex);
  if (set) all[pointer] = *set;
  const auto found = all.find(pointer);
  return found != all.end() ? found->second : 0;
}

}  // namespace

CUDA_API int cudaMalloc(void** out, size_t size_bytes) { return allocate_call(out, size_bytes, Storage::kDevice); }
CUDA_API int cudaMallocAsync(void** out, size_t size_bytes, void* stream) {
  return call([&](Runtime& runtime) {
    const Stream* into = runtime.stream(stream);
    if (into == nullptr) return cudaErrorInvalidResourceHandle;
    const Error error = allocate(runtime, out, size_bytes, Storage::kDevice, "cudaMallocAsync");
    if (error == cudaSuccess && *out != nullptr) take_from_pool(address(*out), size_bytes);
    if (error != cudaSuccess || into->captured_into == nullptr) return error;
    runtime.graph_memory[address(*out)] = false;
    return submit(runtime, stream, NodeKind::kAllocate, {});
  });
}
CUDA_API int cudaMallocManaged(void** out, size_t size_bytes, unsigned flags) {
  constexpr unsigned kGlobal = 1, kHost = 2;
  if (flags != kGlobal && flags != kHost) return refused(cudaErrorInvalidValue);
  return allocate_call(out, size_bytes, Storage::kManaged);
}
CUDA_API int cudaMallocHost(void** out, size_t size_bytes) {
  const int error = allocate_call(out, size_bytes, Storage::kPinned);
  if (error == cudaSuccess) flags_of_host(*out, 0);
  return error;
}
CUDA_API int cudaHostAlloc(void** out, size_t size_bytes, unsigned flags) {
  constexpr unsigned kKnown = 7, kWriteCombined = 4;
  const int error = flags <= kKnown ? cudaMallocHost(out, size_bytes) : int{refused(cudaErrorInvalidValue)};
  if (error == cudaSuccess) flags_of_host(*out, flags & kWriteCombined);
  return error;
}

CUDA_API int cudaFree(void* pointer) { return release_call(pointer, false); }
CUDA_API int cudaFreeAsync(void* pointer, void* stream) {
  return call([&](Runtime& runtime) {
    const Stream* from = runtime.stream(stream);
    if (from == nullptr) return cudaErrorInvalidResourceHandle;
    if (from->captured_into == nullptr) return release(runtime, pointer, false);
    if (runtime.holder(pointer, 0) == nullptr) return cudaErrorInvalidValue;
    const bool own = runtime.give_back_graph_memory(address(pointer));
    return submit(
        runtime, stream, NodeKind::kFree,
        own ? Work() : [pointer](Runtime& then) { return release(then, pointer, false); });
  });
}
CUDA_API int cudaFreeHost(void* pointer) { return release_call(pointer, true); }

CUDA_API int cudaMallocPitch(void** out, size_t* pitch, size_t width_bytes, size_t rows) {
  return call([&](Runtime& runtime) {
    if (pitch == nullptr) return cudaErrorInvalidValue;
    size_t size_bytes = 0;
    *pitch = (width_bytes + kPitchBytes - 1) / kPitchBytes * kPitchBytes;
    if (*pitch < width_bytes || __builtin_mul_overflow(*pitch, rows, &size_bytes)) return cudaErrorMemoryAllocation;
    return allocate(runtime, out, size_bytes, Storage::kDevice, "cudaMallocPitch");
  });
}

CUDA_API int cudaMalloc3D(PitchedPointer* out, Extent extent) {
  if (out == nullptr) return cudaErrorInvalidValue;
  out->x_bytes = extent.width;
  out->y_rows = extent.height;
  size_t rows = 0;
  if (__builtin_mul_overflow(extent.height, extent.depth, &rows)) rows = SIZE_MAX;
  return cudaMallocPitch(&out->pointer, &out->pitch, extent.width, rows);
}

CUDA_API int cudaHostRegister(void* pointer, size_t size_bytes, unsigned flags) {
  return call([&](Runtime& runtime) {
    constexpr unsigned kKnown = 15;
    if (pointer == nullptr || size_bytes == 0 || flags > kKnown) return cudaErrorInvalidValue;
    if (runtime.holder(pointer, 1) != nullptr || runtime.is_registered(pointer))
      return cudaErrorHostMemoryAlreadyRegistered;
    runtime.memory.adopt(pointer, size_bytes, "cudaHostRegister");
    constexpr unsigned kPortable = 1;
    flags_of_host(pointer, flags & kPortable);
    runtime.registered[address(pointer)] = size_bytes;
    return cudaSuccess;
  });
}

CUDA_API int cudaHostUnregister(void* pointer) {
  return call([&](Runtime& runtime) {
    if (pointer == nullptr) return cudaErrorInvalidValue;
    if (runtime.registered.erase(address(pointer)) == 0) return cudaErrorHostMemoryNotRegistered;
    runtime.memory.release(pointer);
    return cudaSuccess;
  });
}

CUDA_API int cudaHostGetDevicePointer(void** out, void* pointer, unsigned flags) {
  return call([&](Runtime& runtime) {
    if (out == nullptr || flags != 0 || !is_pinned(runtime, pointer)) return cudaErrorInvalidValue;
    *out = pointer;
    return cudaSuccess;
  });
}

CUDA_API int cudaHostGetFlags(unsigned* flags, void* pointer) {
  return call([&](Runtime& runtime) {
    if (flags == nullptr || !is_pinned(runtime, pointer)) return cudaErrorInvalidValue;
    *flags = kMappedHost | flags_of_host(pointer);
    return cudaSuccess;
  });
}

CUDA_API int cudaMemGetInfo(size_t* free, size_t* total) {
  return call([&](Runtime& runtime) {
    if (free != nullptr) *free = free_bytes(runtime);
    if (total != nullptr) *total = runtime.memory_bytes();
    return cudaSuccess;
  });
}

CUDA_API int cudaPointerGetAttributes(PointerAttributes* out, const void* pointer) {
  return call([&](Runtime& runtime) {
    if (out == nullptr) return cudaErrorInvalidValue;
    *out = {};
    const Allocation* allocation = runtime.holder(pointer, 1);
    out->device = allocation != nullptr ? allocation->device : -2;
    auto* own = const_cast<void*>(pointer);
    out->host_pointer = own;
    simt::Range range;
    if (allocation == nullptr && !runtime.is_registered(pointer) &&
        runtime.memory.range(reinterpret_cast<simt::Address>(pointer), range)) {  // a module's variable
      *out = {.kind = kDevicePointer, .device = current_device(), .device_pointer = own};
      return cudaSuccess;
    }
    if (allocation == nullptr) {
      out->kind = runtime.is_registered(pointer) ? kHostPointer : kUnregistered;
      if (out->kind == kHostPointer) out->device_pointer = own;
      return cudaSuccess;
    }
    out->device_pointer = own;
    out->kind = allocation->storage == Storage::kDevice    ? kDevicePointer
                : allocation->storage == Storage::kManaged ? kManagedPointer
                                                           : kHostPointer;
    if (out->kind == kDevicePointer) out->host_pointer = nullptr;
    return cudaSuccess;
  });
}
