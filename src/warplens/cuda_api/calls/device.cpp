// The GPU: how many there are, what they can do, and the calls that wait for them.
#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "warplens/base/text.h"
#include "warplens/cuda_api/capture.h"
#include "warplens/cuda_api/checked_launch.h"
#include "warplens/cuda_api/clock.h"
#include "warplens/gpu/memory_bus.h"

using namespace warplens;
using namespace warplens::cuda_api;

namespace {

/// The largest textures and surfaces, in the order of cudaDeviceProp, as an H100 has them.
constexpr std::array kTextureLimits{131072, 32768, 131072, 65536, 32768, 32768, 131072, 65000, 2097120, 32768,
                                    32768,  16384, 16384,  16384, 8192,  8192,  32768,  32768, 32768,   2048,
                                    32768,  32768, 2048,   32768, 2046,  32768, 131072, 65536, 16384,   16384,
                                    16384,  32768, 2048,   32768, 32768, 2048,  32768,  32768, 2046};

DeviceProperties properties_of(const Runtime& runtime, int number) {
  const gpu::Device& device = *runtime.device;
  const gpu::Arch& arch = device.architecture();
  DeviceProperties p{};
  fmt::format_to_n(p.name, sizeof p.name - 1, "NVIDIA {} (emulated by warplens)", device.name);
  p.uuid[15] = static_cast<uint8_t>(number);
  p.total_global_mem = runtime.memory_bytes();
  p.shared_mem_per_block = static_cast<size_t>(arch.shared_default_bytes);
  p.shared_mem_per_multiprocessor = static_cast<size_t>(arch.shared_bytes_per_sm);
  p.shared_mem_per_block_optin = static_cast<size_t>(arch.shared_optin_bytes);
  p.reserved_shared_mem_per_block = static_cast<size_t>(arch.shared_reserved_bytes);
  p.regs_per_block = p.regs_per_multiprocessor = arch.registers_per_sm;
  p.warp_size = 32;
  p.mem_pitch = 0x7fffffff;
  p.max_threads_per_block = arch.threads_per_block;
  std::ranges::copy(std::array{1024, 1024, 64}, p.max_threads_dim);
  std::ranges::copy(std::array{0x7fffffff, 0xffff, 0xffff}, p.max_grid_size);
  p.total_const_mem = 65536;
  std::ranges::copy(kTextureLimits, p.textures_and_surfaces);
  p.major = arch.major;
  p.minor = arch.minor;
  p.texture_alignment = p.surface_alignment = 512;
  p.texture_pitch_alignment = 32;
  p.multi_processor_count = device.sms;
  p.max_blocks_per_multi_processor = arch.blocks_per_sm;
  p.max_threads_per_multi_processor = arch.warps_per_sm * 32;
  p.l2_cache_size = device.l2_mb << 20;
  p.persisting_l2_cache_max_size = p.l2_cache_size / 8 * 5;
  p.access_policy_max_window_size = 128 << 20;
  p.memory_bus_width = gpu::memory_bus_bits(device);
  p.pci_bus_id = number + 1;
  p.async_engine_count = 3;
  p.can_map_host_memory = p.concurrent_kernels = p.unified_addressing = p.stream_priorities_supported = 1;
  p.global_l1_cache_supported = p.local_l1_cache_supported = p.managed_memory = p.concurrent_managed_access = 1;
  p.compute_preemption_supported = p.can_use_host_pointer_for_registered_mem = p.cooperative_launch = 1;
  p.host_register_supported = p.memory_pools_supported = 1;
  p.cluster_launch = arch.major >= 9 && arch.major < 12 ? 1 : 0;
  return p;
}

/// The same as attributes, by their numbers: what an H200 answers.
constexpr std::array kTextureAttributes = std::to_array<std::pair<int, int>>({
    {21, 131072}, {22, 131072},    {23, 65536},  {24, 16384}, {25, 16384},   {26, 16384}, {27, 32768}, {28, 32768},
    {29, 2048},   {42, 32768},     {43, 2048},   {45, 32768}, {46, 32768},   {47, 8192},  {48, 8192},  {49, 32768},
    {52, 32768},  {53, 32768},     {54, 2046},   {55, 32768}, {56, 131072},  {57, 65536}, {58, 16384}, {59, 16384},
    {60, 16384},  {61, 32768},     {62, 2048},   {63, 32768}, {64, 32768},   {65, 2048},  {66, 32768}, {67, 32768},
    {68, 2046},   {69, 268435456}, {70, 131072}, {71, 65000}, {72, 2097120}, {73, 32768}, {74, 32768}, {77, 32768},
});

struct AttributeRow {
  int number;
  long (*value)(const DeviceProperties& p, const gpu::Device& d);
};
#define ATTRIBUTE(number, expression)                                                               \
  AttributeRow {                                                                                    \
    number, []([[maybe_unused]] const DeviceProperties& p, [[maybe_unused]] const gpu::Device& d) { \
      return static_cast<long>(expression);                                                         \
    }                                                                                               \
  }
const AttributeRow kAttributes[] = {
    ATTRIBUTE(1, p.max_threads_per_block),
    ATTRIBUTE(2, p.max_threads_dim[0]),
    ATTRIBUTE(3, p.max_threads_dim[1]),
    ATTRIBUTE(4, p.max_threads_dim[2]),
    ATTRIBUTE(5, p.max_grid_size[0]),
    ATTRIBUTE(6, p.max_grid_size[1]),
    ATTRIBUTE(7, p.max_grid_size[2]),
    ATTRIBUTE(8, p.shared_mem_per_block),
    ATTRIBUTE(9, p.total_const_mem),
    ATTRIBUTE(10, p.warp_size),
    ATTRIBUTE(11, p.mem_pitch),
    ATTRIBUTE(12, p.regs_per_block),
    ATTRIBUTE(13, d.boost_mhz * 1000),
    ATTRIBUTE(14, p.texture_alignment),
    ATTRIBUTE(15, 1),
    ATTRIBUTE(16, p.multi_processor_count),
    ATTRIBUTE(19, p.can_map_host_memory),
    ATTRIBUTE(30, p.surface_alignment),
    ATTRIBUTE(31, p.concurrent_kernels),
    ATTRIBUTE(33, p.pci_bus_id),
    ATTRIBUTE(34, p.pci_device_id),
    ATTRIBUTE(36, d.dram_gbs * 1e6 / (p.memory_bus_width / 8.0) / 2),
    ATTRIBUTE(37, p.memory_bus_width),
    ATTRIBUTE(38, p.l2_cache_size),
    ATTRIBUTE(39, p.max_threads_per_multi_processor),
    ATTRIBUTE(40, p.async_engine_count),
    ATTRIBUTE(41, p.unified_addressing),
    ATTRIBUTE(50, p.pci_domain_id),
    ATTRIBUTE(51, p.texture_pitch_alignment),
    ATTRIBUTE(75, p.major),
    ATTRIBUTE(76, p.minor),
    ATTRIBUTE(78, p.stream_priorities_supported),
    ATTRIBUTE(79, p.global_l1_cache_supported),
    ATTRIBUTE(80, p.local_l1_cache_supported),
    ATTRIBUTE(81, p.shared_mem_per_multiprocessor),
    ATTRIBUTE(82, p.regs_per_multiprocessor),
    ATTRIBUTE(83, p.managed_memory),
    ATTRIBUTE(87, d.fp64_tflops > 0 ? d.fp32_tflops / d.fp64_tflops + 0.5 : 0),
    ATTRIBUTE(89, p.concurrent_managed_access),
    ATTRIBUTE(90, p.compute_preemption_supported),
    ATTRIBUTE(91, p.can_use_host_pointer_for_registered_mem),
    ATTRIBUTE(95, p.cooperative_launch),
    ATTRIBUTE(97, p.shared_mem_per_block_optin),
    ATTRIBUTE(99, p.host_register_supported),
    ATTRIBUTE(102, 1),  // cuMemAddressReserve and its kin
    ATTRIBUTE(106, p.max_blocks_per_multi_processor),
    ATTRIBUTE(108, p.persisting_l2_cache_max_size),
    ATTRIBUTE(109, p.access_policy_max_window_size),
    ATTRIBUTE(111, p.reserved_shared_mem_per_block),
    ATTRIBUTE(115, p.memory_pools_supported),
    ATTRIBUTE(120, p.cluster_launch),
    ATTRIBUTE(125, 1),                     // events of several processes
    ATTRIBUTE(126, p.major >= 9 ? 4 : 1),  // domains of memory synchronisation
    ATTRIBUTE(127, p.major >= 9 ? 1 : 0),  // tensor maps
};
#undef ATTRIBUTE
constexpr int kLastAttribute = 147;

int finish(const char* name = __builtin_FUNCTION()) {
  return call([](Runtime&) { return cudaSuccess; }, name);
}

template <typename T>
int tell_number(T* out, T value, const char* name = __builtin_FUNCTION()) {
  return call(
      [&](Runtime&) {
        if (out == nullptr) return cudaErrorInvalidValue;
        *out = value;
        return cudaSuccess;
      },
      name);
}

}  // namespace

CUDA_API int cudaGetDeviceCount(int* count) {
  if (count != nullptr) *count = Runtime::get().problem.ok() ? Runtime::get().devices : 0;
  return call([&](Runtime&) { return count != nullptr ? cudaSuccess : cudaErrorInvalidValue; });
}

CUDA_API int cudaGetDevice(int* device) {
  return call([&](Runtime&) {
    if (device == nullptr) return cudaErrorInvalidValue;
    *device = current_device();
    return cudaSuccess;
  });
}

CUDA_API int cudaSetDevice(int device) {
  return call([&](Runtime& runtime) {
    if (!runtime.has_device(device)) return cudaErrorInvalidDevice;
    current_device() = device;
    return cudaSuccess;
  });
}
CUDA_API int cudaInitDevice(int device, unsigned, unsigned) { return cudaSetDevice(device); }

CUDA_API int cudaGetDeviceProperties(DeviceProperties* out, int device) {
  return call([&](Runtime& runtime) {
    if (out == nullptr) return cudaErrorInvalidValue;
    if (!runtime.has_device(device)) return cudaErrorInvalidDevice;
    *out = properties_of(runtime, device);
    return cudaSuccess;
  });
}

Error cuda_api::device_attribute(const Runtime& runtime, int* value, int attribute, int device) {
  if (value == nullptr) return cudaErrorInvalidValue;
  if (!runtime.has_device(device)) return cudaErrorInvalidDevice;
  if (attribute < 1 || attribute > kLastAttribute) return cudaErrorInvalidValue;
  const auto* row = std::ranges::find(kAttributes, attribute, &AttributeRow::number);
  const DeviceProperties properties = properties_of(runtime, device);
  const auto* texture = std::ranges::find(kTextureAttributes, attribute, &std::pair<int, int>::first);
  *value = row != std::end(kAttributes)              ? static_cast<int>(row->value(properties, *runtime.device))
           : texture != std::end(kTextureAttributes) ? texture->second
                                                     : 0;
  return cudaSuccess;
}
CUDA_API int cudaDeviceGetAttribute(int* value, int attribute, int device) {
  return call([&](Runtime& runtime) { return device_attribute(runtime, value, attribute, device); });
}

CUDA_API int cudaChooseDevice(int* device, const DeviceProperties*) { return cudaGetDevice(device); }

CUDA_API int cudaDeviceGetPCIBusId(char* text, int length, int device) {
  return call([&](Runtime& runtime) {
    if (text == nullptr) return cudaErrorInvalidValue;
    if (!runtime.has_device(device)) return cudaErrorInvalidDevice;
    const std::string id = fmt::format("0000:{:02X}:00.0", device + 1);
    if (length <= static_cast<int>(id.size())) return cudaErrorInvalidValue;
    std::memcpy(text, id.c_str(), id.size() + 1);
    return cudaSuccess;
  });
}

CUDA_API int cudaDeviceSynchronize() {
  return call([](Runtime& runtime) {
    if (const Error error = refuse_wait(runtime); error != cudaSuccess) return error;
    runtime.flush_printed();
    wait_until(runtime, Wait::kDevice, finished_ns(runtime));
    return cudaSuccess;
  });
}
CUDA_API int cudaProfilerStart() { return finish(); }
CUDA_API int cudaProfilerStop() { return finish(); }
CUDA_API int cudaSetDeviceFlags(unsigned flags) {
  constexpr unsigned kKnown = 0xff;
  return flags <= kKnown ? int{finish()} : int{refused(cudaErrorInvalidValue)};
}
CUDA_API int cudaDeviceSetCacheConfig(int config) {
  return call([&](Runtime& runtime) {
    constexpr int kLast = 3;
    if (config < 0 || config > kLast) return cudaErrorInvalidValue;
    runtime.cache_config = config;
    return cudaSuccess;
  });
}
CUDA_API int cudaDeviceSetSharedMemConfig(int) { return finish(); }

// What a log would say stands in each error's own message: nothing is ever logged.
CUDA_API int cudaLogsRegisterCallback(void*, void*, void** handle) {
  return tell_number(handle, static_cast<void*>(handle));
}
CUDA_API int cudaLogsUnregisterCallback(void*) { return finish(); }

CUDA_API int cudaGetDeviceFlags(unsigned* flags) { return tell_number(flags, 0u); }
CUDA_API int cudaDeviceGetCacheConfig(int* config) { return tell_number(config, Runtime::get().cache_config); }

namespace {

enum Limit : int {
  kStack,
  kPrintfFifo,
  kMallocHeap,
  kSyncDepth,
  kPendingLaunches,
  kFetchGranularity,
  kPersistingL2,
  kSharedMemory
};
constexpr size_t kMostStackBytes = 512 << 10, kMostFetchBytes = 128, kLeastFifoBytes = 512 << 10,
                 kLeastHeapBytes = 4 << 20;

/// What persists in L2 comes in parts of it: found on an H200.
size_t persisting_unit_bytes(const Runtime& runtime) {
  constexpr size_t kParts = 16;
  return (static_cast<size_t>(runtime.device->l2_mb) << 20) / kParts;
}

/// As an H200 answers before any is set; the buffer of printf grows with the GPU.
size_t limit_at_first(const Runtime& runtime, int limit) {
  switch (limit) {
    case kStack: return 1 << 10;
    case kPrintfFifo: return static_cast<size_t>(runtime.device->sms) << 16;
    case kMallocHeap: return 8 << 20;
    case kPendingLaunches: return 2 << 10;
    case kFetchGranularity: return 64;
    case kPersistingL2: return 3 * persisting_unit_bytes(runtime);
    default: return static_cast<size_t>(runtime.device->architecture().shared_optin_bytes);
  }
}

}  // namespace

CUDA_API int cudaDeviceSetLimit(int limit, size_t value) {
  return call([&](Runtime& runtime) {
    if (limit < 0 || limit >= static_cast<int>(std::size(runtime.limits))) return cudaErrorInvalidValue;
    switch (limit) {
      case kSyncDepth: return cudaErrorUnsupportedLimit;
      case kSharedMemory: return cudaErrorNotPermitted;
      case kStack:
        if (value > kMostStackBytes) return cudaErrorInvalidValue;
        break;
      case kFetchGranularity:
        if (value > kMostFetchBytes) return cudaErrorInvalidValue;
        break;
      case kPrintfFifo: value = std::max(value, kLeastFifoBytes); break;
      case kMallocHeap: value = std::max(value, kLeastHeapBytes); break;
      case kPersistingL2: {
        const size_t unit = persisting_unit_bytes(runtime);
        value = (value + unit - 1) / unit * unit;
        break;
      }
      default: break;
    }
    runtime.limits[limit] = value;
    return cudaSuccess;
  });
}
CUDA_API int cudaDeviceGetLimit(size_t* value, int limit) {
  return call([&](Runtime& runtime) {
    if (value == nullptr) return cudaErrorInvalidValue;
    if (limit < 0 || limit >= static_cast<int>(std::size(runtime.limits))) return cudaErrorInvalidValue;
    if (limit == kSyncDepth) return cudaErrorUnsupportedLimit;
    *value = runtime.limits[limit] != 0 ? runtime.limits[limit] : limit_at_first(runtime, limit);
    return cudaSuccess;
  });
}

CUDA_API int cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least != nullptr) *least = 0;
  if (greatest != nullptr) *greatest = -5;
  return finish();
}

CUDA_API int cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return call([&](Runtime& runtime) {
    if (can == nullptr) return cudaErrorInvalidValue;
    if (!runtime.has_device(device) || !runtime.has_device(peer)) return cudaErrorInvalidDevice;
    *can = device != peer ? 1 : 0;
    return cudaSuccess;
  });
}
CUDA_API int cudaDeviceEnablePeerAccess(int peer, unsigned) {
  return call([&](Runtime& runtime) {
    if (!runtime.has_device(peer)) return cudaErrorInvalidDevice;
    if (peer == current_device()) return cudaErrorPeerAccessUnsupported;
    return runtime.peers.insert({current_device(), peer}).second ? cudaSuccess : cudaErrorPeerAccessAlreadyEnabled;
  });
}
CUDA_API int cudaDeviceDisablePeerAccess(int peer) {
  return call([&](Runtime& runtime) {
    return runtime.peers.erase({current_device(), peer}) != 0 ? cudaSuccess : cudaErrorPeerAccessNotEnabled;
  });
}

CUDA_API int cudaRuntimeGetVersion(int* version) {
  if (version == nullptr) return cudaErrorInvalidValue;
  *version = kRuntimeVersion;
  return cudaSuccess;
}
CUDA_API int cudaDriverGetVersion(int* version) { return cudaRuntimeGetVersion(version); }
