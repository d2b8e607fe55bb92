// Memory and events of other processes on this machine.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/cuda_api/ipc/exported_pages.h"
#include "warplens/cuda_api/ipc/handles.h"
#include "warplens/cuda_api/ipc/ipc.h"
#include "warplens/cuda_api/ipc/reserved.h"

using namespace warplens;
using namespace warplens::cuda_api;

namespace {

constexpr uint64_t kPage = PageFile::kPageBytes;

/// Memory of another process that this one has opened, once for each call.
struct Opened {
  IpcHandle handle;
  simt::Address place;  // of its first page
  int uses;
};

struct Ipc {
  ExportedPages exported;
  std::map<simt::Address, Opened> opened;  // by where the memory begins
};
Ipc& ipc() {
  static auto* all = new Ipc;
  return *all;
}

Error get_memory(Runtime& runtime, IpcHandle* out, const void* pointer) {
  const Allocation* allocation = runtime.holder(pointer, 1);
  if (out == nullptr || allocation == nullptr || allocation->storage != Storage::kDevice || allocation->is_mapped)
    return cudaErrorInvalidValue;
  const auto begin = std::prev(runtime.allocations.upper_bound(reinterpret_cast<simt::Address>(pointer)))->first;
  ExportedPages& pages = ipc().exported;
  if (const Status shared = pages.share(begin, allocation->size_bytes); !shared.ok())
    return runtime.tell(cudaErrorMemoryAllocation, "cudaIpcGetMemHandle: " + shared.message());
  *out = {IpcKind::kMemory, ::getpid(), pages.descriptor(),     allocation->device,
          pages.stamp(),    begin,      allocation->size_bytes, {}};
  return cudaSuccess;
}

/// The file that holds the memory of another process. Errors: it has ended, is another user's, or is another one now.
Result<PageFile> file_of(const IpcHandle& handle) {
  const std::string path = fmt::format("/proc/{}/fd/{}", handle.process, handle.descriptor);
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0)
    return invalid_input(
        fmt::format("process {}, which made the handle, cannot be reached: it has ended, is in another "
                    "container, or belongs to another user",
                    handle.process));
  WL_ASSIGN(PageFile file, PageFile::own(descriptor, ExportedPages::kFileBytes));
  ExportedPages::Stamp stamp{};
  if (!file.read(stamp.data(), stamp.size(), 0) || stamp != handle.stamp)
    return invalid_input("the handle is of a process that has ended");
  return file;
}

bool is_sound(const Runtime& runtime, const IpcHandle& handle) {
  return handle.kind == IpcKind::kMemory && handle.size_bytes > 0 && handle.size_bytes <= runtime.memory_bytes() &&
         handle.begin < ExportedPages::kFileBytes && handle.size_bytes <= ExportedPages::kFileBytes - handle.begin;
}

Error open_memory(Runtime& runtime, void** out, const IpcHandle& handle, unsigned flags) {
  constexpr unsigned kLazyPeerAccess = 1;
  if (out == nullptr || !is_sound(runtime, handle)) return cudaErrorInvalidValue;
  if (handle.process == ::getpid()) return cudaErrorDeviceUninitialized;  // CUDA's answer to a process's own handle
  if (flags != kLazyPeerAccess) return cudaErrorInvalidValue;
  auto& opened = ipc().opened;
  const auto known = std::ranges::find_if(opened, [&](const auto& each) { return each.second.handle == handle; });
  if (known != opened.end()) {
    ++known->second.uses;
    *out = reinterpret_cast<void*>(known->first);
    return cudaSuccess;
  }
  const auto refuse = [&](const Status& why) {
    return runtime.tell(cudaErrorMapBufferObjectFailed, "cudaIpcOpenMemHandle: " + why.message());
  };
  const Result<PageFile> file = file_of(handle);
  if (!file.ok()) return refuse(file.status());
  const uint64_t first = handle.begin / kPage * kPage;
  const uint64_t pages_bytes = (handle.begin + handle.size_bytes + kPage - 1) / kPage * kPage - first;
  const Result<simt::Address> place = reserve(runtime.memory, pages_bytes);
  if (!place.ok()) return cudaErrorMemoryAllocation;
  if (const Status shown = file->show(*place, pages_bytes, first); !shown.ok()) {
    unreserve(runtime.memory, *place, pages_bytes);
    return refuse(shown);
  }
  const simt::Address begin = *place + (handle.begin - first);
  *out = reinterpret_cast<void*>(begin);
  runtime.memory.adopt(*out, handle.size_bytes, "cudaIpcOpenMemHandle");
  Allocation& made = runtime.allocations[begin];
  made = {Storage::kDevice, handle.size_bytes, current_device(), "cudaIpcOpenMemHandle", ++runtime.allocated};
  made.is_mapped = true;
  opened[begin] = {handle, *place, 1};
  return cudaSuccess;
}

Error close_memory(Runtime& runtime, void* pointer) {
  const auto found = ipc().opened.find(reinterpret_cast<simt::Address>(pointer));
  if (found == ipc().opened.end()) return cudaErrorInvalidValue;
  if (--found->second.uses > 0) return cudaSuccess;
  const Opened closed = found->second;
  ipc().opened.erase(found);
  runtime.allocations.erase(reinterpret_cast<simt::Address>(pointer));
  runtime.memory.release(pointer);
  const uint64_t bytes = closed.handle.begin % kPage + closed.handle.size_bytes;
  const uint64_t pages_bytes = (bytes + kPage - 1) / kPage * kPage;
  take_back_pages(closed.place, pages_bytes);
  unreserve(runtime.memory, closed.place, pages_bytes);
  return cudaSuccess;
}

/// Work of an event is done when it is recorded, so what another process opens is one that waits for nothing.
Error get_event(Runtime& runtime, IpcHandle* out, Event* event) {
  if (out == nullptr) return cudaErrorInvalidValue;
  if (!runtime.events.contains(event) || !event->of_processes) return cudaErrorInvalidResourceHandle;
  *out = {IpcKind::kEvent, ::getpid(), 0, current_device(), {}, reinterpret_cast<uint64_t>(event), 0, {}};
  return cudaSuccess;
}

Error open_event(Runtime& runtime, Event** out, const IpcHandle& handle) {
  if (out == nullptr || handle.kind != IpcKind::kEvent) return cudaErrorInvalidValue;
  *out = new Event{.timed = false, .device = current_device()};
  runtime.events.insert(*out);
  return cudaSuccess;
}

}  // namespace

void warplens::cuda_api::end_export(simt::Address begin) { ipc().exported.unshare(begin); }

CUDA_API int cudaIpcGetMemHandle(IpcHandle* out, void* pointer) {
  return call([&](Runtime& runtime) { return get_memory(runtime, out, pointer); });
}
CUDA_API int cudaIpcOpenMemHandle(void** out, IpcHandle handle, unsigned flags) {
  return call([&](Runtime& runtime) { return open_memory(runtime, out, handle, flags); });
}
CUDA_API int cudaIpcCloseMemHandle(void* pointer) {
  return call([&](Runtime& runtime) { return close_memory(runtime, pointer); });
}
CUDA_API int cudaIpcGetEventHandle(IpcHandle* out, Event* event) {
  return call([&](Runtime& runtime) { return get_event(runtime, out, event); });
}
CUDA_API int cudaIpcOpenEventHandle(Event** out, IpcHandle handle) {
  return call([&](Runtime& runtime) { return open_event(runtime, out, handle); });
}
