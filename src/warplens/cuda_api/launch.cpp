#include "warplens/cuda_api/launch.h"

#include <algorithm>
#include <cstring>

#include "warplens/base/demangle.h"
#include "warplens/base/text.h"
#include "warplens/cuda_api/clock.h"
#include "warplens/cuda_api/submit.h"
#include "warplens/run/sass/machine.h"

namespace warplens::cuda_api {
namespace {

using simt::sass_machine::Stop;

constexpr uint32_t kMostGridX = 0x7fffffff, kMostGridYZ = 0xffff, kMostBlockZ = 64, kMostCluster = 16;
constexpr uint32_t kReservedSharedBytes = 1024;  // counted with the static shared memory from sm_90 on

uint64_t volume(const Dim3& d) { return uint64_t{d.x} * d.y * d.z; }
std::array<uint32_t, 3> array_of(const Dim3& d) { return {d.x, d.y, d.z}; }

/// As the hardware refuses a launch before it begins.
Error check_shape(const LaunchRequest& request, const Kernel& kernel, const gpu::Arch& arch, const gpu::Occupancy& fits) {
  const Dim3 &grid = request.grid, &block = request.block;
  if (volume(grid) == 0 || volume(block) == 0) return cudaErrorInvalidConfiguration;
  if (grid.x > kMostGridX || grid.y > kMostGridYZ || grid.z > kMostGridYZ) return cudaErrorInvalidConfiguration;
  if (volume(block) > static_cast<uint64_t>(arch.threads_per_block) || block.z > kMostBlockZ) {
    return cudaErrorInvalidConfiguration;
  }
  if (kernel.max_threads != 0 && volume(block) > kernel.max_threads) return cudaErrorInvalidValue;
  const size_t allowed = std::max<size_t>(kernel.dynamic_shared_bytes, static_cast<size_t>(arch.shared_default_bytes));
  if (own_shared_bytes(kernel) + request.dynamic_shared_bytes > allowed) return cudaErrorInvalidValue;
  if (fits.by_registers == 0) return cudaErrorLaunchOutOfResources;
  return fits.blocks == 0 ? cudaErrorInvalidConfiguration : cudaSuccess;
}

Error check_cluster(const LaunchRequest& request, const std::array<uint32_t, 3>& cluster) {
  if (cluster[0] == 0 || cluster[1] == 0 || cluster[2] == 0) return cudaErrorInvalidClusterSize;
  const bool divides = request.grid.x % cluster[0] == 0 && request.grid.y % cluster[1] == 0 &&
                       request.grid.z % cluster[2] == 0;
  const bool fits = uint64_t{cluster[0]} * cluster[1] * cluster[2] <= kMostCluster;
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

/// The number that programs get for what stopped a kernel.
Error error_of(Stop::Kind kind) {
  switch (kind) {
    case Stop::Kind::kNone: return cudaSuccess;
    case Stop::Kind::kUnsupported: return cudaErrorNotSupported;
    case Stop::Kind::kIllegalAddress: return cudaErrorIllegalAddress;
    case Stop::Kind::kMisaligned: return cudaErrorMisalignedAddress;
    case Stop::Kind::kAssert: return cudaErrorAssert;
    case Stop::Kind::kDeadlock:
    case Stop::Kind::kLimit: return cudaErrorLaunchTimeout;
    case Stop::Kind::kTrap:
    case Stop::Kind::kFault: return cudaErrorLaunchFailure;
  }
  return cudaErrorUnknown;
}

/// What stopped a kernel and where, in words.
std::string told(Kernel& kernel, const Stop& stop) {
  std::string out = fmt::format("{}: {}", demangled(kernel.name), stop.reason);
  if (!stop.placed) return out;
  const auto &b = stop.block, &t = stop.thread;
  out += fmt::format(", by block ({},{},{}) thread ({},{},{})", b[0], b[1], b[2], t[0], t[1], t[2]);
  const std::vector<cubin::SourceLine>& lines = kernel.module->text_of(kernel).lines;
  if (stop.pc < lines.size() && lines[stop.pc].line > 0)
    out += fmt::format(" at {}:{}", lines[stop.pc].file, lines[stop.pc].line);
  return out;
}

simt::sass_machine::MachineLaunch describe(const Runtime& runtime, const LaunchRequest& request, const gpu::Occupancy& fits) {
  simt::sass_machine::MachineLaunch launch;
  launch.grid = array_of(request.grid);
  launch.block = array_of(request.block);
  launch.dynamic_shared_bytes = static_cast<uint32_t>(request.dynamic_shared_bytes);
  launch.cooperative = request.cooperative;
  launch.sms = static_cast<uint32_t>(runtime.device->sms);
  launch.blocks_per_sm = static_cast<uint32_t>(std::max(fits.blocks, 1));
  launch.l2_bytes = static_cast<uint64_t>(runtime.device->l2_mb) << 20;
  return launch;
}

}  // namespace

uint32_t own_shared_bytes(const Kernel& kernel) {
  const uint32_t all = kernel.program.static_shared_bytes;
  return kernel.program.architecture >= 90 && all >= kReservedSharedBytes ? all - kReservedSharedBytes : all;
}

gpu::BlockNeeds needs_of(const Kernel& kernel, int threads, size_t dynamic_shared_bytes) {
  gpu::BlockNeeds needs;
  needs.threads = threads;
  needs.registers = static_cast<int>(kernel.program.registers);
  needs.static_shared_bytes = own_shared_bytes(kernel);
  needs.dynamic_shared_bytes = static_cast<int64_t>(dynamic_shared_bytes);
  needs.barriers = static_cast<int>(std::max(kernel.program.barriers, 1u));
  return needs;
}

Error find_kernel(Runtime& runtime, const void* function, Kernel** kernel) {
  const auto found = runtime.functions.find(function);
  if (found == runtime.functions.end() || found->second.module == nullptr) return cudaErrorInvalidDeviceFunction;
  const Result<Kernel*> made = found->second.module->kernel(found->second.name);
  if (!made.ok()) {
    return runtime.tell(cudaErrorNoKernelImageForDevice,
                        fmt::format("{}: {}", demangled(found->second.name), made.status().message()));
  }
  *kernel = *made;
  return cudaSuccess;
}

/// Everything about a launch but its parameters.
Error prepare(const Runtime& runtime, const LaunchRequest& request, const Kernel& kernel,
              simt::sass_machine::MachineLaunch* prepared) {
  const gpu::Arch& arch = runtime.device->architecture();
  const auto threads = static_cast<int>(volume(request.block));
  const gpu::Occupancy fits = gpu::occupancy(arch, needs_of(kernel, threads, request.dynamic_shared_bytes));
  if (const Error error = check_shape(request, kernel, arch, fits); error != cudaSuccess) return error;
  *prepared = describe(runtime, request, fits);
  prepared->cluster = volume(request.cluster) > 0 ? array_of(request.cluster) : kernel.cluster;
  if (const Error error = check_cluster(request, prepared->cluster); error != cudaSuccess) return error;
  const uint64_t resident = static_cast<uint64_t>(fits.blocks) * static_cast<uint64_t>(runtime.device->sms);
  return request.cooperative && volume(request.grid) > resident ? cudaErrorCooperativeLaunchTooLarge : cudaSuccess;
}

/// The launch itself succeeds where the kernel goes wrong, as on a GPU: the next call says what did.
Error run(Runtime& runtime, const void* function, simt::sass_machine::MachineLaunch launch) {
  Kernel* kernel = nullptr;
  if (const Error error = find_kernel(runtime, function, &kernel); error != cudaSuccess) return error;
  launch.memory = &runtime.memory;
  launch.lets_padding = true;
  runtime.flush_printed();
  const Result<simt::sass_machine::MachineCounts> ran = simt::sass_machine::run_machine(kernel->program, launch);
  if (!ran.ok()) return runtime.tell(cudaErrorLaunchFailure, ran.status().message());
  runtime.printed += ran->output;
  if (ran->in_padding.kind != Stop::Kind::kNone && runtime.told.insert("padding of " + kernel->name).second) {
    (void)runtime.tell(cudaSuccess, told(*kernel, ran->in_padding) + "; a GPU lets that pass, and so does this");
  }
  if (ran->stop.kind == Stop::Kind::kNone) {
    if (!runtime.timed) return cudaSuccess;
    const Span span = spend(runtime, launch_ns(runtime, *kernel, launch, *ran));
    if (runtime.recording) {
      const auto shared_bytes = own_shared_bytes(*kernel) + launch.dynamic_shared_bytes;
      runtime.recording->kernel({kernel->name, launch.grid, launch.block, kernel->program.registers, shared_bytes},
                                span, runtime.working);
    }
    return cudaSuccess;
  }
  runtime.flush_printed();
  runtime.sticky = error_of(ran->stop.kind);
  if (ran->stop.kind == Stop::Kind::kAssert) std::fprintf(stderr, "%s\n", ran->stop.reason.c_str());  // as CUDA does
  else (void)runtime.tell(runtime.sticky, told(*kernel, ran->stop));
  return cudaSuccess;
}

Error make_work(Runtime& runtime, const LaunchRequest& request, Work* work) {
  Kernel* kernel = nullptr;
  if (const Error error = find_kernel(runtime, request.function, &kernel); error != cudaSuccess) return error;
  simt::sass_machine::MachineLaunch prepared;
  if (const Error error = prepare(runtime, request, *kernel, &prepared); error != cudaSuccess) return error;
  prepared.parameters = pack(*kernel, request.arguments);
  // The kernel is looked up again when it runs: the constants in it may have changed by then.
  *work = [function = request.function, prepared](Runtime& then) { return run(then, function, prepared); };
  return cudaSuccess;
}

Error launch(Runtime& runtime, const LaunchRequest& request) {
  if (runtime.stream(request.stream) == nullptr) return cudaErrorInvalidResourceHandle;
  Work work;
  if (const Error error = make_work(runtime, request, &work); error != cudaSuccess) return error;
  return submit(runtime, request.stream, NodeKind::kKernel, std::move(work));
}

}  // namespace warplens::cuda_api
