#include "warplens/cuda_api/launch.h"

#include <algorithm>
#include <cstring>

#include "warplens/base/demangle.h"
#include "warplens/base/text.h"
#include "warplens/cuda_api/graphs/nodes.h"
#include "warplens/cuda_api/run_kernel.h"
#include "warplens/cuda_api/submit.h"
#include "warplens/report/machine_report.h"

namespace warplens::cuda_api {
namespace {

constexpr uint32_t kMostGridX = 0x7fffffff, kMostGridYZ = 0xffff, kMostBlockZ = 64, kMostCluster = 16,
                   kPortableCluster = 8;

uint64_t volume(const Dim3& d) { return uint64_t{d.x} * d.y * d.z; }
std::array<uint32_t, 3> array_of(const Dim3& d) { return {d.x, d.y, d.z}; }

/// As the hardware refuses a launch before it begins.
Error check_shape(const LaunchRequest& request, const Kernel& kernel, const gpu::Arch& arch,
                  const gpu::Occupancy& fits) {
  const Dim3 &grid = request.grid, &block = request.block;
  if (volume(grid) == 0 || volume(block) == 0) return cudaErrorInvalidConfiguration;
  if (grid.x > kMostGridX || grid.y > kMostGridYZ || grid.z > kMostGridYZ) return cudaErrorInvalidConfiguration;
  if (volume(block) > static_cast<uint64_t>(arch.threads_per_block) || block.z > kMostBlockZ) {
    return cudaErrorInvalidConfiguration;
  }
  if (kernel.max_threads != 0 && volume(block) > kernel.max_threads) return cudaErrorInvalidValue;
  const size_t allowed = std::max<size_t>(kernel.dynamic_shared_bytes, static_cast<size_t>(arch.shared_default_bytes));
  if (kernel.program.own_shared_bytes() + request.dynamic_shared_bytes > allowed) return cudaErrorInvalidValue;
  if (fits.by_registers == 0) return cudaErrorLaunchOutOfResources;
  return fits.blocks == 0 ? cudaErrorInvalidConfiguration : cudaSuccess;
}

Error check_cluster(const LaunchRequest& request, const Kernel& kernel, const std::array<uint32_t, 3>& cluster) {
  if (cluster[0] == 0 || cluster[1] == 0 || cluster[2] == 0) return cudaErrorInvalidClusterSize;
  const bool divides =
      request.grid.x % cluster[0] == 0 && request.grid.y % cluster[1] == 0 && request.grid.z % cluster[2] == 0;
  const bool large = kernel.large_clusters || kernel.cluster != std::array<uint32_t, 3>{1, 1, 1};
  const bool fits = uint64_t{cluster[0]} * cluster[1] * cluster[2] <= (large ? kMostCluster : kPortableCluster);
  return divides && fits ? cudaSuccess : cudaErrorInvalidClusterSize;
}

std::vector<uint8_t> pack(const Kernel& kernel, void** arguments) {
  std::vector<uint8_t> block(kernel.program.parameter_bytes);
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    const Parameter& p = kernel.parameters[i];
    if (block.size() < p.offset + p.size_bytes) block.resize(p.offset + p.size_bytes);
    std::memcpy(block.data() + p.offset, arguments[i], p.size_bytes);
  }
  return block;
}

}  // namespace

gpu::BlockNeeds needs_of(const Kernel& kernel, int threads, size_t dynamic_shared_bytes) {
  gpu::BlockNeeds needs;
  needs.threads = threads;
  needs.registers = static_cast<int>(kernel.program.registers);
  needs.static_shared_bytes = kernel.program.own_shared_bytes();
  needs.dynamic_shared_bytes = static_cast<int64_t>(dynamic_shared_bytes);
  needs.barriers = static_cast<int>(std::max(kernel.program.barriers, 1u));
  return needs;
}

Error arguments_in(const Kernel& kernel, void** extra, std::vector<void*>* arguments) {
  const uint8_t* bytes = nullptr;
  size_t size_bytes = 0;
  for (; extra != nullptr && *extra != nullptr; extra += 2) {
    if (*extra == reinterpret_cast<void*>(1)) bytes = static_cast<const uint8_t*>(extra[1]);
    if (*extra == reinterpret_cast<void*>(2)) size_bytes = *static_cast<const size_t*>(extra[1]);
  }
  for (const Parameter& p : kernel.parameters) {
    if (bytes == nullptr || size_t{p.offset} + p.size_bytes > size_bytes) return cudaErrorInvalidValue;
    arguments->push_back(const_cast<uint8_t*>(bytes) + p.offset);
  }
  return cudaSuccess;
}

Error take_attributes(const LaunchAttribute* attributes, uint32_t count, LaunchRequest* request) {
  constexpr int kAttributes = 64;  // more than any CUDA has
  for (uint32_t i = 0; i < count; ++i) {
    const LaunchAttribute& attribute = attributes[i];
    if (static_cast<int>(attribute.id) < 0 || static_cast<int>(attribute.id) >= kAttributes)
      return cudaErrorInvalidValue;
    if (attribute.id == kAttributeCluster && volume(attribute.value.dim) == 0) return cudaErrorInvalidClusterSize;
    if (attribute.id == kAttributeCluster) request->cluster = attribute.value.dim;
    if (attribute.id == kAttributeCooperative) request->cooperative = attribute.value.number != 0;
  }
  return cudaSuccess;
}

Error find_kernel(Runtime& runtime, const void* function, Kernel** kernel) {
  const auto found = runtime.functions.find(function);
  if (found == runtime.functions.end() || found->second.module == nullptr)
    return function == nullptr ? cudaErrorInvalidDeviceFunction : cudaErrorInvalidResourceHandle;
  const Result<Kernel*> made = found->second.module->kernel(found->second.name);
  if (!made.ok()) {
    return runtime.tell(cudaErrorNoKernelImageForDevice,
                        fmt::format("{}: {}", demangled(found->second.name), made.status().message()));
  }
  *kernel = *made;
  return cudaSuccess;
}

Error prepare(const Runtime& runtime, const LaunchRequest& request, const Kernel& kernel,
              simt::sass_machine::MachineLaunch* prepared) {
  const gpu::Arch& arch = runtime.device->architecture();
  const auto threads = static_cast<int>(volume(request.block));
  const gpu::BlockNeeds needs = needs_of(kernel, threads, request.dynamic_shared_bytes);
  const gpu::Occupancy fits = gpu::occupancy(arch, needs);
  if (const Error error = check_shape(request, kernel, arch, fits); error != cudaSuccess) return error;
  simt::Launch launch;
  launch.grid = array_of(request.grid);
  launch.block = array_of(request.block);
  launch.cluster = volume(request.cluster) > 0 ? array_of(request.cluster) : kernel.cluster;
  launch.dynamic_shared_bytes = static_cast<uint32_t>(request.dynamic_shared_bytes);
  launch.cooperative = request.cooperative;
  *prepared = report::machine_launch(launch, *runtime.device, needs);
  if (const Error error = check_cluster(request, kernel, prepared->cluster); error != cudaSuccess) return error;
  const uint64_t resident = static_cast<uint64_t>(fits.blocks) * static_cast<uint64_t>(runtime.device->sms);
  return request.cooperative && volume(request.grid) > resident ? cudaErrorCooperativeLaunchTooLarge : cudaSuccess;
}

Error make_work(Runtime& runtime, const LaunchRequest& request, Work* work) {
  Kernel* kernel = nullptr;
  if (const Error error = find_kernel(runtime, request.function, &kernel); error != cudaSuccess) return error;
  if (request.arguments == nullptr && !kernel->parameters.empty()) return cudaErrorInvalidValue;
  simt::sass_machine::MachineLaunch prepared;
  const Error error = prepare(runtime, request, *kernel, &prepared);
  if (error == cudaErrorInvalidConfiguration) return cudaErrorInvalidValue;  // as the host hears it since CUDA 13
  if (error != cudaSuccess) return error;
  prepared.parameters = pack(*kernel, request.arguments);
  // The kernel is looked up again when it runs: the constants in it may have changed by then.
  *work = [function = request.function, prepared](Runtime& then) { return run_kernel(then, function, prepared); };
  return cudaSuccess;
}

Error launch(Runtime& runtime, const LaunchRequest& request) {
  if (runtime.stream(request.stream) == nullptr) return cudaErrorInvalidResourceHandle;
  Work work;
  if (const Error error = make_work(runtime, request, &work); error != cudaSuccess) return error;
  if (const Error error = submit(runtime, request.stream, NodeKind::kKernel, std::move(work)); error != cudaSuccess)
    return error;
  const Graph* captured = runtime.stream(request.stream)->captured_into;
  return captured != nullptr ? keep_launch(runtime, request, &captured->nodes.back()->made) : cudaSuccess;
}

}  // namespace warplens::cuda_api
