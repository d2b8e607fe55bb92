#include "warplens/cuda_api/launch.h"

#include <algorithm>
#include <cstring>

#include "warplens/base/demangle.h"
#include "warplens/base/text.h"
#include "warplens/cuda_api/run_kernel.h"
#include "warplens/cuda_api/submit.h"

namespace warplens::cuda_api {
namespace {

uint64_t volume(const Dim3& d) { return uint64_t{d.x} * d.y * d.z; }
std::array<uint32_t, 3> array_of(const Dim3& d) { return {d.x, d.y, d.z}; }

Error error_of(gpu::LaunchLimit limit) {
  using gpu::LaunchLimit;
  switch (limit) {
    case LaunchLimit::kNone: return cudaSuccess;
    case LaunchLimit::kEmpty:
    case LaunchLimit::kGrid:
    case LaunchLimit::kBlock:
    case LaunchLimit::kResources: return cudaErrorInvalidConfiguration;
    case LaunchLimit::kKernelThreads:
    case LaunchLimit::kShared: return cudaErrorInvalidValue;
    case LaunchLimit::kRegisters: return cudaErrorLaunchOutOfResources;
    case LaunchLimit::kClusterShape: return cudaErrorInvalidClusterSize;
    case LaunchLimit::kNoClusters: return cudaErrorNotSupported;
    case LaunchLimit::kCooperative: return cudaErrorCooperativeLaunchTooLarge;
  }
  return cudaErrorInvalidValue;
}

std::vector<uint8_t> pack(const Kernel& kernel, void** arguments) {
  std::vector<uint8_t> block(kernel.program.parameter_bytes);
  for (size_t i = 0; i < kernel.program.parameters.size(); ++i) {
    const cubin::Parameter& p = kernel.program.parameters[i];
    if (block.size() < p.offset + p.size_bytes) block.resize(p.offset + p.size_bytes);
    std::memcpy(block.data() + p.offset, arguments[i], p.size_bytes);
  }
  return block;
}

}  // namespace

Error arguments_in(const Kernel& kernel, void** extra, std::vector<void*>* arguments) {
  const uint8_t* bytes = nullptr;
  size_t size_bytes = 0;
  for (; extra != nullptr && *extra != nullptr; extra += 2) {
    if (*extra == reinterpret_cast<void*>(1)) bytes = static_cast<const uint8_t*>(extra[1]);
    if (*extra == reinterpret_cast<void*>(2)) size_bytes = *static_cast<const size_t*>(extra[1]);
  }
  for (const cubin::Parameter& p : kernel.program.parameters) {
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

Error find_kernel(Runtime& runtime, const void* function, Kernel** kernel, int device) {
  const auto found = runtime.functions.find(function);
  if (found == runtime.functions.end() || found->second.module == nullptr)
    return function == nullptr ? cudaErrorInvalidDeviceFunction : cudaErrorInvalidResourceHandle;
  const Result<Kernel*> made = found->second.module->kernel(found->second.name, device);
  if (!made.ok()) {
    return runtime.tell(cudaErrorNoKernelImageForDevice,
                        fmt::format("{}: {}", demangled(found->second.name), made.status().message()));
  }
  *kernel = *made;
  return cudaSuccess;
}

Error prepare(const Runtime& runtime, const LaunchRequest& request, const Kernel& kernel, simt::Launch* prepared,
              std::string* why) {
  constexpr std::array<uint32_t, 3> kNone{1, 1, 1};
  const gpu::Arch& arch = runtime.device->architecture();
  gpu::LaunchDemands asked;
  asked.grid = array_of(request.grid);
  asked.block = array_of(request.block);
  asked.cluster = volume(request.cluster) > 0 ? array_of(request.cluster) : kernel.program.cluster;
  asked.needs = session::needs_of(kernel, static_cast<int>(volume(request.block)), request.dynamic_shared_bytes);
  asked.kernel_threads = kernel.program.max_threads;
  asked.shared_opted_in = std::max<int64_t>(kernel.dynamic_shared_bytes, arch.shared_default_bytes);
  asked.large_clusters = kernel.large_clusters || kernel.program.cluster != kNone;
  asked.cooperative = request.cooperative;
  gpu::LaunchRefusal refusal = gpu::refuse_launch(*runtime.device, asked);
  *why = std::move(refusal.why);
  if (const Error error = error_of(refusal.limit); error != cudaSuccess) return error;
  simt::Launch launch;
  launch.device = runtime.device;
  launch.grid = asked.grid;
  launch.block = asked.block;
  launch.cluster = asked.cluster;
  launch.dynamic_shared_bytes = static_cast<uint32_t>(request.dynamic_shared_bytes);
  launch.cooperative = request.cooperative;
  *prepared = std::move(launch);
  return cudaSuccess;
}

namespace {

/// Callers of the driver hold its answer in their hands; the runtime's, <<<>>> drops.
Error refuse(Runtime& runtime, const std::string& kernel, const std::string& why, Error error) {
  runtime.launch_watch.refused(kernel, why.empty() ? fmt::format("CUDA's error {}", static_cast<int>(error)) : why,
                               calls_of_thread().driver_depth > 0);
  return error;
}

}  // namespace

Error make_work(Runtime& runtime, const LaunchRequest& request, Work* work) {
  Kernel* kernel = nullptr;
  if (const Error error = find_kernel(runtime, request.function, &kernel); error != cudaSuccess)
    return refuse(runtime, "", "", error);
  if (request.arguments == nullptr && !kernel->program.parameters.empty()) return cudaErrorInvalidValue;
  simt::Launch prepared;
  std::string why;
  const Error error = prepare(runtime, request, *kernel, &prepared, &why);
  if (error != cudaSuccess) (void)refuse(runtime, kernel->name, why, error);
  if (error == cudaErrorInvalidConfiguration) return cudaErrorInvalidValue;  // as the host hears it since CUDA 13
  if (error != cudaSuccess) return error;
  prepared.parameters = pack(*kernel, request.arguments);
  // The kernel is looked up again when it runs: the constants in it may have changed by then.
  *work = [function = request.function, prepared, device = current_device()](Runtime& then) {
    return run_kernel(then, function, device, prepared);
  };
  return cudaSuccess;
}

Error keep_launch(Runtime& runtime, const LaunchRequest& request, Made* out) {
  Kernel* kernel = nullptr;
  if (const Error error = find_kernel(runtime, request.function, &kernel); error != cudaSuccess) return error;
  if (request.arguments == nullptr && !kernel->program.parameters.empty()) return cudaErrorInvalidValue;
  auto node = std::make_shared<KernelNode>();
  for (size_t i = 0; i < kernel->program.parameters.size(); ++i) {
    const auto* value = static_cast<const uint8_t*>(request.arguments[i]);
    node->values.emplace_back(value, value + kernel->program.parameters[i].size_bytes);
  }
  for (std::vector<uint8_t>& value : node->values) node->arguments.push_back(value.data());
  node->parameters = {const_cast<void*>(request.function),
                      request.grid,
                      request.block,
                      static_cast<uint32_t>(request.dynamic_shared_bytes),
                      node->arguments.data(),
                      nullptr};
  node->cooperative = request.cooperative;
  node->cluster = request.cluster;
  *out = std::move(node);
  return cudaSuccess;
}

Error launch(Runtime& runtime, const LaunchRequest& request) {
  const Stream* stream = runtime.stream(request.stream);
  if (stream == nullptr) return cudaErrorInvalidResourceHandle;
  const bool of_driver = calls_of_thread().driver_depth > 0;  // which takes streams of any context
  if (stream->device != current_device() && !of_driver) return cudaErrorInvalidResourceHandle;
  Work work;
  if (const Error error = make_work(runtime, request, &work); error != cudaSuccess) return error;
  if (const Error error = submit(runtime, request.stream, NodeKind::kKernel, std::move(work)); error != cudaSuccess)
    return error;
  const Graph* captured = runtime.stream(request.stream)->captured_into;
  return captured != nullptr ? keep_launch(runtime, request, &captured->nodes.back()->made) : cudaSuccess;
}

}  // namespace warplens::cuda_api
