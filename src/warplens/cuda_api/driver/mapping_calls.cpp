// The driver's virtual memory: addresses are reserved, memory is made, and one is mapped to the other. Memory lies in a
// file without a name, so that it may be mapped several times, and by several processes.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "warplens/cuda_api/driver/driver.h"
#include "warplens/cuda_api/ipc/page_file.h"
#include "warplens/cuda_api/ipc/reserved.h"

using namespace warplens;
using namespace warplens::cuda_api;

namespace {

constexpr size_t kGranularity = size_t{2} << 20;
enum HandleType : int { kNoHandle = 0, kFileDescriptor = 1 };

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
enum LocationKind : int { kOnDevice = 1 };

/// What cuMemCreate makes. It lives as long as a handle or a mapping has it.
struct PhysicalMemory {
  size_t size_bytes;
  MemoryProperties properties;
  PageFile file;
};
struct Handle {
  std::shared_ptr<const PhysicalMemory> memory;
  int uses = 1;
};
struct Mapping {
  std::shared_ptr<const PhysicalMemory> memory;
  size_t size_bytes;
  uint64_t handle;
};

struct Mapped {
  std::map<uint64_t, Handle> handles;
  uint64_t next_handle = 1;
  std::map<simt::Address, Mapping> mappings;
};
Mapped& mapped() {
  static auto* all = new Mapped;
  return *all;
}

uint64_t new_handle(PhysicalMemory memory) {
  const uint64_t handle = mapped().next_handle++;
  mapped().handles[handle] = {std::make_shared<const PhysicalMemory>(std::move(memory)), 1};
  return handle;
}

const Handle* find(uint64_t handle) {
  const auto found = mapped().handles.find(handle);
  return found != mapped().handles.end() ? &found->second : nullptr;
}

/// The mapping that holds an address, or the end of all.
std::map<simt::Address, Mapping>::iterator mapping_of(simt::Address address) {
  auto& all = mapped().mappings;
  auto after = all.upper_bound(address);
  if (after == all.begin()) return all.end();
  --after;
  return address - after->first < after->second.size_bytes ? after : all.end();
}

/// The reservation that holds all of a range: where it begins, or 0.
simt::Address reservation_of(simt::Address address, size_t size_bytes) {
  const auto& reserved = Driver::get().reserved;
  auto after = reserved.upper_bound(address);
  if (after == reserved.begin()) return 0;
  const auto& [begin, reserved_bytes] = *--after;
  const uint64_t offset = address - begin;
  return offset <= reserved_bytes && size_bytes <= reserved_bytes - offset ? begin : 0;
}

void forget(Runtime& runtime, simt::Address begin, simt::Address end) {
  auto& all = runtime.allocations;
  for (auto at = all.lower_bound(begin); at != all.end() && at->first < end; at = all.erase(at))
    runtime.memory.release(reinterpret_cast<void*>(at->first));
}

/// Tells the runtime what is mapped within a reservation: mappings side by side are memory without a gap.
void tell_runtime(Runtime& runtime, simt::Address reservation) {
  const simt::Address end = reservation + Driver::get().reserved[reservation];
  forget(runtime, reservation, end);
  auto& all = mapped().mappings;
  for (auto at = all.lower_bound(reservation); at != all.end() && at->first < end;) {
    const simt::Address begin = at->first;
    const int device = at->second.memory->properties.location.id;
    simt::Address next = begin;
    for (; at != all.end() && at->first == next && next < end; ++at) next += at->second.size_bytes;
    runtime.memory.adopt(reinterpret_cast<void*>(begin), next - begin, "cuMemMap");
    Allocation& allocation = runtime.allocations[begin];
    allocation = {Storage::kDevice, next - begin, device, "cuMemMap", ++runtime.allocated};
    allocation.is_mapped = true;
  }
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
    const Result<simt::Address> made = reserve(runtime.memory, size_bytes);
    if (!made.ok()) return cudaErrorMemoryAllocation;
    Driver::get().reserved[*made] = size_bytes;
    *out = *made;
    return cudaSuccess;
  });
}
CUDA_API int cuMemAddressFree(simt::Address address, size_t) {
  return in_driver([&](Runtime& runtime) {
    const auto found = Driver::get().reserved.find(address);
    if (found == Driver::get().reserved.end()) return cudaErrorInvalidValue;
    const auto mapping = mapped().mappings.lower_bound(address);
    if (mapping != mapped().mappings.end() && mapping->first - address < found->second) return cudaErrorInvalidValue;
    unreserve(runtime.memory, address, found->second);
    Driver::get().reserved.erase(found);
    return cudaSuccess;
  });
}

CUDA_API int cuMemCreate(uint64_t* handle, size_t size_bytes, const MemoryProperties* properties, uint64_t) {
  return in_driver([&](Runtime& runtime) {
    if (handle == nullptr || properties == nullptr || size_bytes == 0 || size_bytes % kGranularity != 0)
      return cudaErrorInvalidValue;
    if (properties->location.kind == kOnDevice && !runtime.has_device(properties->location.id))
      return cudaErrorInvalidDevice;
    if ((properties->handles & ~kFileDescriptor) != 0) return cudaErrorNotSupported;
    if (size_bytes > runtime.memory_bytes()) return cudaErrorMemoryAllocation;
    Result<PageFile> file = PageFile::make(size_bytes);
    if (!file.ok()) return runtime.tell(cudaErrorMemoryAllocation, "cuMemCreate: " + file.status().message());
    *handle = new_handle({size_bytes, *properties, std::move(*file)});
    return cudaSuccess;
  });
}
CUDA_API int cuMemRelease(uint64_t handle) {
  return in_driver([&](Runtime&) {
    const auto found = mapped().handles.find(handle);
    if (found == mapped().handles.end()) return cudaErrorInvalidValue;
    if (--found->second.uses == 0) mapped().handles.erase(found);
    return cudaSuccess;
  });
}
CUDA_API int cuMemRetainAllocationHandle(uint64_t* handle, void* address) {
  return in_driver([&](Runtime&) {
    const auto mapping = mapping_of(reinterpret_cast<simt::Address>(address));
    if (handle == nullptr || mapping == mapped().mappings.end()) return cudaErrorInvalidValue;
    Handle& known = mapped().handles[mapping->second.handle];
    if (known.memory == nullptr) known = {mapping->second.memory, 0};
    ++known.uses;
    *handle = mapping->second.handle;
    return cudaSuccess;
  });
}
CUDA_API int cuMemGetAllocationPropertiesFromHandle(MemoryProperties* out, uint64_t handle) {
  return in_driver([&](Runtime&) {
    const Handle* known = find(handle);
    if (out == nullptr || known == nullptr) return cudaErrorInvalidValue;
    *out = known->memory->properties;
    return cudaSuccess;
  });
}

CUDA_API int cuMemExportToShareableHandle(void* out, uint64_t handle, int type, uint64_t flags) {
  return in_driver([&](Runtime&) {
    const Handle* known = find(handle);
    if (out == nullptr || known == nullptr || flags != 0) return cudaErrorInvalidValue;
    if (type != kFileDescriptor) return cudaErrorNotSupported;
    if ((known->memory->properties.handles & kFileDescriptor) == 0) return cudaErrorInvalidValue;
    const int descriptor = ::fcntl(known->memory->file.descriptor(), F_DUPFD_CLOEXEC, 0);
    if (descriptor < 0) return cudaErrorOperatingSystem;
    *static_cast<int*>(out) = descriptor;
    return cudaSuccess;
  });
}
CUDA_API int cuMemImportFromShareableHandle(uint64_t* handle, void* from, int type) {
  return in_driver([&](Runtime&) {
    if (handle == nullptr) return cudaErrorInvalidValue;
    if (type != kFileDescriptor) return cudaErrorNotSupported;
    const int descriptor = ::fcntl(static_cast<int>(reinterpret_cast<intptr_t>(from)), F_DUPFD_CLOEXEC, 0);
    struct stat known = {};
    if (descriptor < 0 || ::fstat(descriptor, &known) != 0) return cudaErrorInvalidValue;
    const auto size_bytes = static_cast<size_t>(known.st_size);
    Result<PageFile> file = PageFile::own(descriptor, std::max(size_bytes, kGranularity));
    if (!file.ok() || size_bytes % kGranularity != 0) return cudaErrorInvalidValue;
    MemoryProperties properties{1, kFileDescriptor, {kOnDevice, current_device()}, nullptr, {}};
    *handle = new_handle({size_bytes, properties, std::move(*file)});
    return cudaSuccess;
  });
}

CUDA_API int cuMemMap(simt::Address address, size_t size_bytes, size_t offset, uint64_t handle, uint64_t flags) {
  return in_driver([&](Runtime& runtime) {
    const Handle* known = find(handle);
    const simt::Address reservation = reservation_of(address, size_bytes);
    if (known == nullptr || reservation == 0 || offset != 0 || flags != 0 || size_bytes > known->memory->size_bytes ||
        size_bytes % kGranularity != 0 || address % kGranularity != 0)
      return cudaErrorInvalidValue;
    auto& all = mapped().mappings;
    const auto next = all.lower_bound(address);
    if (mapping_of(address) != all.end() || (next != all.end() && next->first - address < size_bytes))
      return cudaErrorInvalidValue;  // something is mapped there
    if (const Status shown = known->memory->file.show(address, size_bytes, 0); !shown.ok())
      return runtime.tell(cudaErrorMemoryAllocation, "cuMemMap: " + shown.message());
    all[address] = {known->memory, size_bytes, handle};
    tell_runtime(runtime, reservation);
    return cudaSuccess;
  });
}
/// A range takes away whole mappings, one or several.
CUDA_API int cuMemUnmap(simt::Address address, size_t size_bytes) {
  return in_driver([&](Runtime& runtime) {
    auto& all = mapped().mappings;
    const simt::Address reservation = reservation_of(address, size_bytes);
    const auto first = all.find(address);
    if (reservation == 0 || first == all.end()) return cudaErrorInvalidValue;
    auto behind = first;
    simt::Address end = address;
    while (behind != all.end() && behind->first - address < size_bytes) {
      end = behind->first + behind->second.size_bytes;
      ++behind;
    }
    if (end - address > size_bytes) return cudaErrorInvalidValue;
    for (auto each = first; each != behind; ++each) take_back_pages(each->first, each->second.size_bytes);
    all.erase(first, behind);
    tell_runtime(runtime, reservation);
    return cudaSuccess;
  });
}
CUDA_API int cuMemSetAccess(simt::Address address, size_t size_bytes, const void* wanted, size_t count) {
  return in_driver([&](Runtime&) {
    const bool is_mapped = mapping_of(address) != mapped().mappings.end();
    return is_mapped && size_bytes > 0 && wanted != nullptr && count > 0 ? cudaSuccess : cudaErrorInvalidValue;
  });
}
/// Every GPU reaches all memory.
CUDA_API int cuMemGetAccess(uint64_t* flags, const Location* location, simt::Address address) {
  return in_driver([&](Runtime&) {
    constexpr uint64_t kReadWrite = 3;
    if (flags == nullptr || location == nullptr || mapping_of(address) == mapped().mappings.end())
      return cudaErrorInvalidValue;
    *flags = kReadWrite;
    return cudaSuccess;
  });
}
