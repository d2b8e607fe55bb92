// The driver's modules, functions and launches.
#include <cstring>
#include <fstream>

#include "warplens/base/files.h"
#include "warplens/base/text.h"
#include "warplens/cuda_api/calls.h"
#include "warplens/cuda_api/driver/driver.h"
#include "warplens/cuda_api/driver/jit_logs.h"
#include "warplens/cuda_api/launch.h"

using namespace warplens;
using namespace warplens::cuda_api;

namespace {

constexpr size_t kPtxHead = 4096;  // comments, then its version

/// How many bytes an image has that the program points at: the container says, of an ELF file its tables, of PTX its
/// end.
std::string bytes_of(const void* image) {
  const auto* bytes = static_cast<const char*>(image);
  constexpr uint32_t kWrapper = 0x466243b1, kContainer = 0xba55ed50;
  uint32_t magic = 0;
  std::memcpy(&magic, bytes, sizeof magic);
  if (magic == kWrapper) return bytes_of(*reinterpret_cast<void* const*>(bytes + 8));
  if (magic == kContainer) {
    uint16_t header = 0;
    uint64_t size = 0;
    std::memcpy(&header, bytes + 6, sizeof header);
    std::memcpy(&size, bytes + 8, sizeof size);
    return {bytes, header + size};
  }
  if (std::memcmp(bytes,
                  "\x7f"
                  "ELF",
                  4) != 0)
    return bytes;  // PTX ends in a zero
  const auto field = [&](size_t at, size_t size) {
    uint64_t value = 0;
    std::memcpy(&value, bytes + at, size);
    return value;
  };
  const uint64_t sections = field(40, 8), section_bytes = field(58, 2), section_count = field(60, 2);
  const uint64_t segments = field(32, 8), segment_bytes = field(54, 2), segment_count = field(56, 2);
  constexpr uint64_t kHeader = 64, kMost = uint64_t{1} << 30;
  if (sections > kMost || segments > kMost) return {bytes, kHeader};  // damaged: who reads it says so
  uint64_t end = std::max(sections + section_bytes * section_count, segments + segment_bytes * segment_count);
  constexpr uint64_t kNoBits = 8;
  for (uint64_t i = 0; i < section_count; ++i) {
    const uint64_t at = sections + i * section_bytes;
    if (field(at + 4, 4) != kNoBits) end = std::max(end, field(at + 24, 8) + field(at + 32, 8));
  }
  return {bytes, end};
}

/// Why an image cannot be loaded, as the driver's numbers say it.
Error load_error(bool is_ptx, const Status& why) {
  constexpr auto kInvalidPtx = static_cast<Error>(218), kNewerPtx = static_cast<Error>(222);
  if (!is_ptx)
    return why.code() == ErrorCode::kNotFound ? cudaErrorNoKernelImageForDevice : cudaErrorInvalidKernelImage;
  return contains(why.message(), "nsupported .version") ? kNewerPtx : kInvalidPtx;  // as ptxas says it
}

Error add_module(Runtime& runtime, Module** out, std::string image, const JitLogs& logs = {}) {
  const bool is_ptx = contains(std::string_view(image).substr(0, kPtxHead), ".version");
  auto made =
      std::make_unique<Module>(std::move(image), *runtime.device, runtime.memory, runtime.checks(simt::kCheckAll));
  const Status loaded = made->load();
  logs.info.write("");
  logs.errors.write(loaded.ok() ? "" : loaded.message());
  if (!loaded.ok()) return runtime.tell(load_error(is_ptx, loaded), loaded.message());
  *out = made.get();
  runtime.modules.push_back(std::move(made));
  return cudaSuccess;
}

Module* find_module(Runtime& runtime, const Module* handle) {
  for (const auto& module : runtime.modules) {
    if (module.get() == handle) return module.get();
  }
  return nullptr;
}

/// A function's handle is a name that the runtime knows as it knows the host's functions.
Error get_function(Runtime& runtime, const void** out, Module* handle, const char* name) {
  Module* module = find_module(runtime, handle);
  if (module == nullptr) return cudaErrorInvalidResourceHandle;
  if (out == nullptr || name == nullptr) return cudaErrorInvalidValue;
  for (const DeviceName* known : Driver::get().functions[module]) {
    if (known->name == name) return *out = known, cudaSuccess;
  }
  if (!module->kernel(name).ok()) return cudaErrorSymbolNotFound;
  const auto* made = new DeviceName{module, name};
  Driver::get().functions[module].insert(made);
  runtime.functions[made] = *made;
  *out = made;
  return cudaSuccess;
}

void forget_functions(Runtime& runtime, Module* module) {
  for (const DeviceName* name : Driver::get().functions[module]) {
    runtime.functions.erase(name);
    delete name;
  }
  Driver::get().functions.erase(module);
}

struct DriverLaunch {
  uint32_t grid[3], block[3], shared_bytes;
  void* stream;
  LaunchAttribute* attributes;
  uint32_t attribute_count;
};
static_assert(sizeof(DriverLaunch) == 56);
LaunchConfiguration runtime_form(const DriverLaunch& c) {
  return {{c.grid[0], c.grid[1], c.grid[2]},
          {c.block[0], c.block[1], c.block[2]},
          c.shared_bytes,
          c.stream,
          c.attributes,
          c.attribute_count};
}

Error launch_kernel(Runtime& runtime, LaunchRequest request, void** arguments, void** extra) {
  Kernel* kernel = nullptr;
  if (request.function == nullptr) return cudaErrorInvalidResourceHandle;
  if (arguments != nullptr && extra != nullptr) return cudaErrorInvalidValue;
  if (const Error error = find_kernel(runtime, request.function, &kernel); error != cudaSuccess) return error;
  std::vector<void*> from_buffer;
  if (arguments == nullptr && extra != nullptr) {
    if (const Error error = arguments_in(*kernel, extra, &from_buffer); error != cudaSuccess) return error;
    arguments = from_buffer.data();
  }
  if (arguments == nullptr && !kernel->program.parameters.empty()) return cudaErrorInvalidValue;
  request.arguments = arguments;
  return launch(runtime, request);
}

int launch_call(const DriverLaunch& config, const void* function, bool cooperative, void** arguments, void** extra,
                const char* name = __builtin_FUNCTION()) {
  return on_stream(config.stream, [&](Runtime& runtime) {
    RecordedCall recorded(runtime.recording.get(), name);
    const HeardCall heard(runtime.activities, name);
    LaunchRequest request{.function = function,
                          .grid = {config.grid[0], config.grid[1], config.grid[2]},
                          .block = {config.block[0], config.block[1], config.block[2]},
                          .dynamic_shared_bytes = config.shared_bytes,
                          .stream = config.stream,
                          .cooperative = cooperative};
    Error error = take_attributes(config.attributes, config.attribute_count, &request);
    if (error == cudaSuccess) error = launch_kernel(runtime, request, arguments, extra);
    if (error != cudaSuccess) recorded.refuse();
    return error;
  });
}

int load_data(Module** out, const void* image, bool needs_context, const JitLogs& logs = {}) {
  return in_driver(
      [&](Runtime& runtime) {
        if (out == nullptr || image == nullptr) return cudaErrorInvalidValue;
        return add_module(runtime, out, bytes_of(image), logs);
      },
      needs_context);
}
int load_file(Module** out, const char* path, bool needs_context) {
  return in_driver(
      [&](Runtime& runtime) {
        constexpr Error kFileNotFound = static_cast<Error>(301);
        if (out == nullptr || path == nullptr) return cudaErrorInvalidValue;
        Result<std::string> bytes = read_file(path);
        return bytes.ok() ? add_module(runtime, out, std::move(*bytes)) : kFileNotFound;
      },
      needs_context);
}

}  // namespace

CUDA_API int cuModuleLoadData(Module** out, const void* image) { return load_data(out, image, true); }
CUDA_API int cuModuleLoadDataEx(Module** out, const void* image, unsigned count, const int* options, void** values) {
  constexpr int kOptions = 64;
  if (count > 0 && (options == nullptr || std::any_of(options, options + count, [](int o) { return o >= kOptions; })))
    return kDriverInvalidValue;
  return load_data(out, image, true, logs_of(count, options, values));
}
CUDA_API int cuModuleLoadFatBinary(Module** out, const void* image) { return cuModuleLoadData(out, image); }
CUDA_API int cuModuleLoad(Module** out, const char* path) { return load_file(out, path, true); }
CUDA_API int cuModuleUnload(Module* handle) {
  return in_driver([&](Runtime& runtime) {
    Module* module = find_module(runtime, handle);
    if (module == nullptr) return cudaErrorInvalidResourceHandle;
    forget_functions(runtime, module);
    std::erase_if(runtime.modules, [&](const auto& known) { return known.get() == module; });
    return cudaSuccess;
  });
}
CUDA_API int cuModuleGetLoadingMode(int* mode) {
  constexpr int kLazy = 2;
  if (mode == nullptr) return kDriverInvalidValue;
  *mode = kLazy;
  return kDriverSuccess;
}
CUDA_API int cuModuleGetFunction(const void** out, Module* module, const char* name) {
  return in_driver([&](Runtime& runtime) { return get_function(runtime, out, module, name); });
}
CUDA_API int cuModuleGetGlobal_v2(simt::Address* address, size_t* size_bytes, Module* handle, const char* name) {
  return in_driver([&](Runtime& runtime) {
    if (name == nullptr || (address == nullptr && size_bytes == nullptr)) return cudaErrorInvalidValue;
    Module* module = find_module(runtime, handle);
    if (module == nullptr) return cudaErrorInvalidResourceHandle;
    const Result<Variable> variable = module->variable(name);
    if (!variable.ok()) return cudaErrorSymbolNotFound;
    if (variable->constant) module->constants_exposed();
    if (address != nullptr) *address = variable->address;
    if (size_bytes != nullptr) *size_bytes = variable->size_bytes;
    return cudaSuccess;
  });
}

// Libraries and their kernels are modules and functions under other names.
CUDA_API int cuLibraryLoadData(Module** out, const void* image, const int*, void**, unsigned, const int*, void**,
                               unsigned) {
  return load_data(out, image, false);
}
CUDA_API int cuLibraryLoadFromFile(Module** out, const char* path, const int*, void**, unsigned, const int*, void**,
                                   unsigned) {
  return load_file(out, path, false);
}
CUDA_API int cuLibraryUnload(Module* library) { return cuModuleUnload(library); }
CUDA_API int cuLibraryGetKernel(const void** out, Module* library, const char* name) {
  return cuModuleGetFunction(out, library, name);
}
CUDA_API int cuLibraryGetGlobal(simt::Address* address, size_t* size_bytes, Module* library, const char* name) {
  return cuModuleGetGlobal_v2(address, size_bytes, library, name);
}
CUDA_API int cuLibraryGetManaged(simt::Address* address, size_t* size_bytes, Module* library, const char* name) {
  return cuModuleGetGlobal_v2(address, size_bytes, library, name);
}
CUDA_API int cuLibraryGetModule(Module** out, Module* library) {
  if (out == nullptr) return kDriverInvalidValue;
  *out = library;
  return kDriverSuccess;
}
CUDA_API int cuKernelGetFunction(const void** out, const void* kernel) {
  if (out == nullptr) return kDriverInvalidValue;
  *out = kernel;
  return kDriverSuccess;
}

CUDA_API int cuFuncGetAttribute(int* value, int attribute, const void* function) {
  return in_driver([&](Runtime&) -> int {
    if (value == nullptr) return int{cudaErrorInvalidValue};
    FunctionAttributes a;
    if (const int error = cudaFuncGetAttributes(&a, function); error != cudaSuccess) return error;
    const int values[] = {a.max_threads_per_block,
                          static_cast<int>(a.shared_bytes),
                          static_cast<int>(a.constant_bytes),
                          static_cast<int>(a.local_bytes),
                          a.registers,
                          a.ptx_version,
                          a.binary_version,
                          a.cache_mode_ca,
                          a.max_dynamic_shared_bytes,
                          a.preferred_shared_carveout,
                          a.cluster_must_be_set,
                          a.required_cluster_width,
                          a.required_cluster_height,
                          a.required_cluster_depth,
                          a.non_portable_cluster_allowed,
                          a.cluster_scheduling_policy};
    if (attribute < 0 || attribute >= static_cast<int>(std::size(values))) return cudaErrorInvalidValue;
    *value = values[attribute];
    return cudaSuccess;
  });
}
CUDA_API int cuFuncSetAttribute(const void* function, int attribute, int value) {
  return in_driver([&](Runtime&) { return cudaFuncSetAttribute(function, attribute, value); });
}
CUDA_API int cuFuncSetCacheConfig(const void*, int) { return kDriverSuccess; }
CUDA_API int cuFuncSetSharedMemConfig(const void*, int) { return kDriverSuccess; }

CUDA_API int cuFuncIsLoaded(int* loaded, const void*) {
  if (loaded == nullptr) return kDriverInvalidValue;
  *loaded = 1;
  return kDriverSuccess;
}
CUDA_API int cuFuncLoad(const void*) { return kDriverSuccess; }
CUDA_API int cuKernelGetAttribute(int* value, int attribute, const void* kernel, int) {
  return cuFuncGetAttribute(value, attribute, kernel);
}
CUDA_API int cuKernelSetAttribute(int attribute, int value, const void* kernel, int) {
  return cuFuncSetAttribute(kernel, attribute, value);
}
CUDA_API int cuKernelSetCacheConfig(const void*, int, int) { return kDriverSuccess; }

CUDA_API int cuLaunchKernel(const void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                            unsigned block_y, unsigned block_z, unsigned shared_bytes, void* stream, void** arguments,
                            void** extra) {
  return launch_call({{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes, stream, nullptr, 0},
                     function, false, arguments, extra);
}
CUDA_API int cuLaunchCooperativeKernel(const void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                       unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                                       void* stream, void** arguments) {
  return launch_call({{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes, stream, nullptr, 0},
                     function, true, arguments, nullptr);
}
CUDA_API int cuLaunchKernelEx(const DriverLaunch* config, const void* function, void** arguments, void** extra) {
  return launch_call(*config, function, false, arguments, extra);
}

CUDA_API int cuOccupancyMaxActiveClusters(int* clusters, const void* function, const DriverLaunch* config) {
  if (config == nullptr) return kDriverInvalidValue;
  const LaunchConfiguration launch = runtime_form(*config);
  return in_context([&](Runtime&) { return cudaOccupancyMaxActiveClusters(clusters, function, &launch); });
}
CUDA_API int cuOccupancyMaxPotentialClusterSize(int* size, const void* function, const DriverLaunch* config) {
  if (config == nullptr) return kDriverInvalidValue;
  const LaunchConfiguration launch = runtime_form(*config);
  return in_context([&](Runtime&) { return cudaOccupancyMaxPotentialClusterSize(size, function, &launch); });
}
CUDA_API int cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function, int threads,
                                                                  size_t shared_bytes, unsigned flags) {
  return in_context([&](Runtime&) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared_bytes, flags);
  });
}
CUDA_API int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int threads,
                                                         size_t shared_bytes) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared_bytes, 0);
}

/// The block of most threads that are resident at once, and how many of it fill the GPU. `shared_of` says what a block
/// of so many threads needs; nullptr: all need `shared_bytes`.
CUDA_API int cuOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block, const void* function,
                                                       size_t (*shared_of)(int threads), size_t shared_bytes, int limit,
                                                       unsigned) {
  return in_context([&](Runtime& runtime) -> int {
    if (grid == nullptr || block == nullptr) return int{cudaErrorInvalidValue};
    Kernel* kernel = nullptr;
    if (const Error error = find_kernel(runtime, function, &kernel); error != cudaSuccess) return error;
    const int own = static_cast<int>(kernel->program.max_threads),
              most = runtime.device->architecture().threads_per_block;
    const int allowed = std::min(limit > 0 ? std::min(limit, most) : most, own > 0 ? own : most);
    int best = 0;
    for (int threads = allowed; threads > 0; threads -= threads % 32 != 0 ? threads % 32 : 32) {
      int blocks = 0;
      const size_t shared = shared_of != nullptr ? shared_of(threads) : shared_bytes;
      const int error = cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, function, threads, shared, 0);
      if (error != cudaSuccess) return error;
      if (blocks * threads <= best) continue;
      best = blocks * threads;
      *block = threads;
      *grid = blocks * runtime.device->sms;
    }
    return best > 0 ? int{cudaSuccess} : int{cudaErrorInvalidValue};
  });
}
CUDA_API int cuOccupancyMaxPotentialBlockSize(int* grid, int* block, const void* function,
                                              size_t (*shared_of)(int threads), size_t shared_bytes, int limit) {
  return cuOccupancyMaxPotentialBlockSizeWithFlags(grid, block, function, shared_of, shared_bytes, limit, 0);
}
