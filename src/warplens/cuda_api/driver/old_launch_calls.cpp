// Launches as before CUDA 4: a function keeps its block, its dynamic shared memory and its parameters.
#include <cstring>
#include <vector>

#include "warplens/cuda_api/driver/driver.h"
#include "warplens/cuda_api/launch.h"

using namespace warplens;
using namespace warplens::cuda_api;

namespace {

struct Kept {
  Dim3 block{1, 1, 1};
  size_t shared_bytes = 0;
  std::vector<uint8_t> parameters;
};

std::map<const void*, Kept>& kept() {
  static auto* all = new std::map<const void*, Kept>;
  return *all;
}

/// Calls `use` with what a function keeps, and the kernel.
template <typename F>
int of_function(const void* function, F use) {
  return in_context([&](Runtime& runtime) {
    Kernel* kernel = nullptr;
    const Error error = find_kernel(runtime, function, &kernel);
    return error != cudaSuccess ? error : use(runtime, *kernel, kept()[function]);
  });
}

int set_parameter(const void* function, int offset, const void* value, size_t size_bytes) {
  return of_function(function, [&](Runtime&, Kernel&, Kept& mine) {
    constexpr size_t kMost = 32764;
    if (offset < 0 || value == nullptr || size_bytes > kMost || static_cast<size_t>(offset) > kMost - size_bytes)
      return cudaErrorInvalidValue;
    const size_t end = static_cast<size_t>(offset) + size_bytes;
    if (mine.parameters.size() < end) mine.parameters.resize(end);
    std::memcpy(mine.parameters.data() + offset, value, size_bytes);
    return cudaSuccess;
  });
}

int launch_grid(const void* function, int width, int height, void* stream) {
  return of_function(function, [&](Runtime& runtime, Kernel& kernel, Kept& mine) {
    if (width <= 0 || height <= 0) return cudaErrorInvalidValue;
    size_t size_bytes = mine.parameters.size();
    void* extra[] = {reinterpret_cast<void*>(1), mine.parameters.data(), reinterpret_cast<void*>(2), &size_bytes,
                     nullptr};
    std::vector<void*> arguments;
    if (const Error error = arguments_in(kernel, extra, &arguments); error != cudaSuccess) return error;
    return launch(runtime, {.function = function,
                            .grid = {static_cast<uint32_t>(width), static_cast<uint32_t>(height), 1},
                            .block = mine.block,
                            .arguments = arguments.data(),
                            .dynamic_shared_bytes = mine.shared_bytes,
                            .stream = stream});
  });
}

}  // namespace

CUDA_API int cuFuncSetBlockShape(const void* function, int x, int y, int z) {
  return of_function(function, [&](Runtime& runtime, Kernel& kernel, Kept& mine) {
    if (x <= 0 || y <= 0 || z <= 0) return cudaErrorInvalidValue;
    const Dim3 block{static_cast<uint32_t>(x), static_cast<uint32_t>(y), static_cast<uint32_t>(z)};
    simt::Launch launch;
    std::string why;
    if (prepare(runtime, {.function = function, .block = block}, kernel, &launch, &why) != cudaSuccess)
      return cudaErrorInvalidValue;
    mine.block = block;
    return cudaSuccess;
  });
}
CUDA_API int cuFuncSetSharedSize(const void* function, unsigned bytes) {
  return of_function(function, [&](Runtime&, Kernel&, Kept& mine) {
    mine.shared_bytes = bytes;
    return cudaSuccess;
  });
}
CUDA_API int cuParamSetSize(const void* function, unsigned bytes) {
  return of_function(function, [&](Runtime&, Kernel&, Kept& mine) {
    constexpr unsigned kMost = 32764;
    if (bytes > kMost) return cudaErrorInvalidValue;
    mine.parameters.resize(bytes);
    return cudaSuccess;
  });
}
CUDA_API int cuParamSeti(const void* function, int offset, unsigned value) {
  return set_parameter(function, offset, &value, sizeof value);
}
CUDA_API int cuParamSetf(const void* function, int offset, float value) {
  return set_parameter(function, offset, &value, sizeof value);
}
CUDA_API int cuParamSetv(const void* function, int offset, const void* value, unsigned bytes) {
  return set_parameter(function, offset, value, bytes);
}
CUDA_API int cuLaunch(const void* function) { return launch_grid(function, 1, 1, nullptr); }
CUDA_API int cuLaunchGrid(const void* function, int width, int height) {
  return launch_grid(function, width, height, nullptr);
}
CUDA_API int cuLaunchGridAsync(const void* function, int width, int height, void* stream) {
  return launch_grid(function, width, height, stream);
}
