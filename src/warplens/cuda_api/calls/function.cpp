// What programs ask about their kernels: attributes and occupancy.
#include <algorithm>

#include "warplens/cuda_api/launch.h"

using namespace warplens;
using namespace warplens::cuda_api;

namespace {

enum FunctionAttribute : int {
  kMaxDynamicSharedBytes = 8,
  kPreferredCarveout = 9,
  kNonPortableCluster = 14,
  kLastFunctionAttribute = 15
};

/// Of a block, the kernel's own among them: what cudaFuncSetAttribute allowed, or what every kernel may have.
size_t allowed_shared(const Kernel& kernel, const gpu::Arch& arch) {
  return kernel.dynamic_shared_bytes != 0 ? kernel.dynamic_shared_bytes
                                          : static_cast<size_t>(arch.shared_default_bytes);
}
/// The same for questions about occupancy, which a lower limit does not change: found on an H200.
size_t occupancy_shared(const Kernel& kernel, const gpu::Arch& arch) {
  return std::max(allowed_shared(kernel, arch), static_cast<size_t>(arch.shared_default_bytes));
}

constexpr int kWarp = 32;

size_t most_dynamic_shared(const Kernel& kernel, const gpu::Arch& arch) {
  return static_cast<size_t>(arch.shared_optin_bytes) - kernel.program.own_shared_bytes();
}

/// The cluster that a launch asks for, or the kernel's own. Errors: the grid does not consist of such clusters.
Error cluster_of(const Kernel& kernel, const LaunchConfiguration& config, Dim3* out) {
  LaunchRequest request;
  if (const Error error = take_attributes(config.attributes, config.attribute_count, &request); error != cudaSuccess)
    return error;
  const auto& own = kernel.program.cluster;
  *out = request.cluster.x != 0 ? request.cluster : Dim3{own[0], own[1], own[2]};
  const auto divides = [](uint32_t size, uint32_t all) { return size == 0 || all % size == 0; };
  const bool fits = divides(out->x, config.grid.x) && divides(out->y, config.grid.y) && divides(out->z, config.grid.z);
  return fits ? cudaSuccess : cudaErrorInvalidClusterSize;
}

/// As the driver sees it: what the registers leave.
int most_threads(const Kernel& kernel, const gpu::Arch& arch) {
  const int limit =
      kernel.program.max_threads != 0 ? static_cast<int>(kernel.program.max_threads) : arch.threads_per_block;
  for (int threads = limit; threads > 0; threads -= 32) {
    if (gpu::occupancy(arch, needs_of(kernel, threads, 0)).by_registers > 0) return threads;
  }
  return 0;
}

}  // namespace

CUDA_API int cudaFuncGetAttributes(FunctionAttributes* out, const void* function) {
  return call([&](Runtime& runtime) {
    if (out == nullptr) return cudaErrorInvalidValue;
    Kernel* kernel = nullptr;
    if (const Error error = find_kernel(runtime, function, &kernel); error != cudaSuccess) return error;
    const gpu::Arch& arch = runtime.device->architecture();
    *out = {};
    out->shared_bytes = kernel->program.own_shared_bytes();
    out->local_bytes = kernel->program.frame_bytes;
    constexpr uint32_t kVariables = 3;  // the bank of __constant__ variables
    const auto& banks = kernel->program.constants.banks;
    if (const auto own = banks.find(kVariables); own != banks.end()) out->constant_bytes = own->second.size();
    out->registers = static_cast<int>(kernel->program.registers);
    out->max_threads_per_block = most_threads(*kernel, arch);
    out->ptx_version = kernel->program.ptx_architecture;
    out->binary_version = kernel->program.architecture;
    out->max_dynamic_shared_bytes =
        static_cast<int>(allowed_shared(*kernel, arch)) - static_cast<int>(kernel->program.own_shared_bytes());
    out->preferred_shared_carveout = -1;
    const auto& own = kernel->program.cluster;
    if (own != std::array<uint32_t, 3>{1, 1, 1}) {
      out->required_cluster_width = static_cast<int>(own[0]);
      out->required_cluster_height = static_cast<int>(own[1]);
      out->required_cluster_depth = static_cast<int>(own[2]);
    }
    out->non_portable_cluster_allowed = kernel->large_clusters ? 1 : 0;
    return cudaSuccess;
  });
}

CUDA_API int cudaFuncSetAttribute(const void* function, int attribute, int value) {
  return call([&](Runtime& runtime) {
    Kernel* kernel = nullptr;
    if (const Error error = find_kernel(runtime, function, &kernel); error != cudaSuccess) return error;
    if (attribute == kPreferredCarveout) return value >= -1 && value <= 100 ? cudaSuccess : cudaErrorInvalidValue;
    if (attribute != kMaxDynamicSharedBytes) {
      const bool known = attribute > kPreferredCarveout && attribute <= kLastFunctionAttribute;
      if (known && attribute == kNonPortableCluster) kernel->large_clusters = value != 0;
      return known ? cudaSuccess : cudaErrorInvalidValue;
    }
    const size_t most = most_dynamic_shared(*kernel, runtime.device->architecture());
    if (value < 0 || static_cast<size_t>(value) > most) return cudaErrorInvalidValue;
    kernel->dynamic_shared_bytes = static_cast<uint32_t>(value) + kernel->program.own_shared_bytes();
    return cudaSuccess;
  });
}

CUDA_API int cudaFuncSetCacheConfig(const void*, int config) {
  constexpr int kLast = 3;
  return config >= 0 && config <= kLast ? cudaSuccess : refused(cudaErrorInvalidValue);
}
CUDA_API int cudaFuncSetSharedMemConfig(const void*, int) { return cudaSuccess; }

CUDA_API int cudaFuncGetName(const char** name, const void* function) {
  return call([&](Runtime& runtime) {
    if (name == nullptr) return cudaErrorInvalidValue;
    const auto found = runtime.functions.find(function);
    if (found == runtime.functions.end()) return cudaErrorInvalidDeviceFunction;
    *name = found->second.name.c_str();
    return cudaSuccess;
  });
}

CUDA_API int cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function, int threads,
                                                                    size_t dynamic_shared_bytes, unsigned) {
  return call([&](Runtime& runtime) {
    if (blocks == nullptr) return cudaErrorInvalidValue;
    Kernel* kernel = nullptr;
    if (const Error error = find_kernel(runtime, function, &kernel); error != cudaSuccess) return error;
    const gpu::Arch& arch = runtime.device->architecture();
    if (threads <= 0) return cudaErrorInvalidValue;
    const bool too_large = threads > arch.threads_per_block ||
                           kernel->program.own_shared_bytes() + dynamic_shared_bytes > occupancy_shared(*kernel, arch);
    *blocks = too_large ? 0 : gpu::occupancy(arch, needs_of(*kernel, threads, dynamic_shared_bytes)).blocks;
    return cudaSuccess;
  });
}

CUDA_API int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int threads,
                                                           size_t dynamic_shared_bytes) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, dynamic_shared_bytes, 0);
}

CUDA_API int cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, const void* function, int blocks, int threads) {
  return call([&](Runtime& runtime) {
    if (bytes == nullptr) return cudaErrorInvalidValue;
    Kernel* kernel = nullptr;
    if (const Error error = find_kernel(runtime, function, &kernel); error != cudaSuccess) return error;
    if (blocks <= 0 || threads <= 0) return cudaErrorInvalidValue;
    const gpu::Arch& arch = runtime.device->architecture();
    if (blocks > arch.blocks_per_sm || blocks * threads > arch.warps_per_sm * kWarp) return cudaErrorInvalidValue;
    const auto share = static_cast<size_t>(arch.shared_bytes_per_sm / blocks);
    const size_t unit = static_cast<size_t>(arch.shared_unit_bytes);
    const size_t most = std::min(share / unit * unit, occupancy_shared(*kernel, arch));
    *bytes = most > kernel->program.own_shared_bytes() ? most - kernel->program.own_shared_bytes() : 0;
    return cudaSuccess;
  });
}

CUDA_API int cudaFuncGetParamInfo(const void* function, size_t number, size_t* offset, size_t* size_bytes) {
  return call([&](Runtime& runtime) {
    Kernel* kernel = nullptr;
    if (const Error error = find_kernel(runtime, function, &kernel); error != cudaSuccess) return error;
    if (offset == nullptr || number >= kernel->program.parameters.size()) return cudaErrorInvalidValue;
    *offset = kernel->program.parameters[number].offset;
    if (size_bytes != nullptr) *size_bytes = kernel->program.parameters[number].size_bytes;
    return cudaSuccess;
  });
}

/// The host function itself serves as the handle of its kernel.
CUDA_API int cudaGetFuncBySymbol(const void** out, const void* function) {
  return call([&](Runtime& runtime) {
    if (out == nullptr) return cudaErrorInvalidValue;
    if (!runtime.functions.contains(function)) return cudaErrorInvalidDeviceFunction;
    *out = function;
    return cudaSuccess;
  });
}
CUDA_API int cudaGetKernel(const void** out, const void* function) { return cudaGetFuncBySymbol(out, function); }
CUDA_API int cudaKernelSetAttributeForDevice(const void* kernel, int attribute, int value, int) {
  return cudaFuncSetAttribute(kernel, attribute, value);
}

/// As if any SMs could be joined: which of them form a GPC differs from one GPU to the next.
CUDA_API int cudaOccupancyMaxActiveClusters(int* clusters, const void* function, const LaunchConfiguration* config) {
  return call([&](Runtime& runtime) {
    if (clusters == nullptr || config == nullptr) return cudaErrorInvalidValue;
    Kernel* kernel = nullptr;
    if (const Error error = find_kernel(runtime, function, &kernel); error != cudaSuccess) return error;
    Dim3 cluster;
    if (const Error error = cluster_of(*kernel, *config, &cluster); error != cudaSuccess) return error;
    const auto size = static_cast<int>(cluster.x * cluster.y * cluster.z);
    const auto threads = static_cast<int>(config->block.x * config->block.y * config->block.z);
    if (size <= 0 || threads <= 0) return cudaErrorInvalidClusterSize;
    const gpu::Arch& arch = runtime.device->architecture();
    const int fits = gpu::occupancy(arch, needs_of(*kernel, threads, config->dynamic_shared_bytes)).blocks;
    *clusters = fits * runtime.device->sms / size;
    return cudaSuccess;
  });
}
CUDA_API int cudaOccupancyMaxPotentialClusterSize(int* size, const void* function, const LaunchConfiguration* config) {
  return call([&](Runtime& runtime) {
    constexpr int kPortable = 8, kMost = 16;
    if (size == nullptr || config == nullptr) return cudaErrorInvalidValue;
    Kernel* kernel = nullptr;
    if (const Error error = find_kernel(runtime, function, &kernel); error != cudaSuccess) return error;
    Dim3 cluster;
    if (const Error error = cluster_of(*kernel, *config, &cluster); error != cudaSuccess) return error;
    *size = kernel->large_clusters ? kMost : kPortable;
    return cudaSuccess;
  });
}
