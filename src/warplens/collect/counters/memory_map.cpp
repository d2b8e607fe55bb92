#include "warplens/collect/counters/memory_map.h"

#include <iterator>

namespace warplens::cupti {
namespace {

struct Named {
  std::string_view name;
  MemoryCall call;
};

constexpr Named kCalls[] = {{"cuMemAlloc", MemoryCall::kAllocate},
                            {"cuMemAllocManaged", MemoryCall::kAllocate},
                            {"cuMemAllocAsync", MemoryCall::kAllocate},
                            {"cuMemAllocFromPoolAsync", MemoryCall::kAllocate},
                            {"cuMemAllocPitch", MemoryCall::kAllocatePitch},
                            {"cuMemMap", MemoryCall::kMap},
                            {"cuMemFree", MemoryCall::kFree},
                            {"cuMemFreeAsync", MemoryCall::kFree},
                            {"cuMemUnmap", MemoryCall::kUnmap},
                            {"cuMemHostAlloc", MemoryCall::kHostAllocate},
                            {"cuMemAllocHost", MemoryCall::kHostAllocate},
                            {"cuMemHostRegister", MemoryCall::kHostRegister},
                            {"cuMemFreeHost", MemoryCall::kHostFree},
                            {"cuMemHostUnregister", MemoryCall::kHostFree},
                            {"cuArrayCreate", MemoryCall::kOther},
                            {"cuArray3DCreate", MemoryCall::kOther},
                            {"cuMipmappedArrayCreate", MemoryCall::kOther},
                            {"cuImportExternalMemory", MemoryCall::kOther},
                            {"cuIpcOpenMemHandle", MemoryCall::kOther},
                            {"cuMulticastCreate", MemoryCall::kOther},
                            {"cuCtxEnablePeerAccess", MemoryCall::kOther},
                            {"cuGraphAddMemAllocNode", MemoryCall::kOther},
                            {"cuStreamDestroy", MemoryCall::kEnd},
                            {"cuModuleUnload", MemoryCall::kEnd},
                            {"cuLibraryUnload", MemoryCall::kEnd},
                            {"cuMemPoolDestroy", MemoryCall::kEnd}};

// The parameters of those calls, as generated_cuda_meta.h lays them out.
struct AllocateParameters {
  uint64_t* address;
  size_t bytes;
};
struct PitchParameters {
  uint64_t* address;
  size_t* pitch;
  size_t width, height;
};
struct RangeParameters {  // cuMemMap, cuMemUnmap, cuMemHostRegister; cuMemFree and its kin have the address alone
  uint64_t address;
  size_t bytes;
};

template <typename Parameters>
const Parameters& parameters_of(const ApiCallback& data) {
  return *static_cast<const Parameters*>(data.parameters);
}

}  // namespace

MemoryCall memory_call(std::string_view name) {
  for (const Named& known : kCalls) {
    if (name == known.name) return known.call;
  }
  const bool copies = name.starts_with("cuMemcpy") || name.starts_with("cuMemset");
  return copies ? MemoryCall::kCopy : MemoryCall::kNone;
}

void MemoryMap::after(MemoryCall call, const ApiCallback& data) {
  if (call == MemoryCall::kAllocate || call == MemoryCall::kHostAllocate) {
    const auto& made = parameters_of<AllocateParameters>(data);
    (call == MemoryCall::kAllocate ? regions_ : host_)[*made.address] = made.bytes;
  } else if (call == MemoryCall::kAllocatePitch) {
    const auto& made = parameters_of<PitchParameters>(data);
    regions_[*made.address] = *made.pitch * made.height;
  } else if (call == MemoryCall::kMap || call == MemoryCall::kHostRegister) {
    const auto& range = parameters_of<RangeParameters>(data);
    (call == MemoryCall::kMap ? regions_ : host_)[range.address] = range.bytes;
  } else if (call == MemoryCall::kFree) {
    regions_.erase(parameters_of<RangeParameters>(data).address);
  } else if (call == MemoryCall::kUnmap) {  // of all that was mapped there
    const auto& range = parameters_of<RangeParameters>(data);
    regions_.erase(regions_.lower_bound(range.address), regions_.lower_bound(range.address + range.bytes));
  } else if (call == MemoryCall::kHostFree) {
    host_.erase(parameters_of<RangeParameters>(data).address);
  } else if (call == MemoryCall::kOther && other_.empty()) {
    other_ = data.function != nullptr ? data.function : "a call";
  }
}

bool MemoryMap::is_host(uint64_t address) const {
  const auto after = host_.upper_bound(address);
  if (after == host_.begin()) return false;
  const auto& [begin, bytes] = *std::prev(after);
  return address - begin < bytes;
}

}  // namespace warplens::cupti
