// Launches: the <<<>>> of nvcc and the calls that do the same.
#include "warplens/cuda_api/launch.h"

#include <vector>

using namespace warplens;
using namespace warplens::cuda_api;

namespace {

/// What <<<...>>> hands from the caller to the kernel's host stub.
struct CallConfiguration {
  Dim3 grid, block;
  size_t shared_bytes;
  void* stream;
};

std::vector<CallConfiguration>& call_configurations() {
  thread_local std::vector<CallConfiguration> stack;
  return stack;
}

int launch_kernel(const void* function, Dim3 grid, Dim3 block, void** arguments, size_t shared_bytes, void* stream,
                  bool cooperative, const char* name = __builtin_FUNCTION()) {
  return call(
      [&](Runtime& runtime) {
        return launch(runtime, {.function = function,
                                .grid = grid,
                                .block = block,
                                .arguments = arguments,
                                .dynamic_shared_bytes = shared_bytes,
                                .stream = stream,
                                .cooperative = cooperative});
      },
      name);
}

}  // namespace

CUDA_API unsigned __cudaPushCallConfiguration(Dim3 grid, Dim3 block, size_t shared_bytes, void* stream) {
  call_configurations().push_back({grid, block, shared_bytes, stream});
  return 0;
}

CUDA_API int __cudaPopCallConfiguration(Dim3* grid, Dim3* block, size_t* shared_bytes, void** stream) {
  std::vector<CallConfiguration>& stack = call_configurations();
  if (stack.empty()) return cudaErrorInvalidConfiguration;
  const CallConfiguration top = stack.back();
  stack.pop_back();
  *grid = top.grid;
  *block = top.block;
  *shared_bytes = top.shared_bytes;
  *stream = top.stream;
  return cudaSuccess;
}

/// The host function itself serves as the kernel's handle.
CUDA_API int __cudaGetKernel(const void** kernel, const void* function) {
  *kernel = function;
  return cudaSuccess;
}

CUDA_API int cudaLaunchKernel(const void* function, Dim3 grid, Dim3 block, void** arguments, size_t shared_bytes,
                              void* stream) {
  return launch_kernel(function, grid, block, arguments, shared_bytes, stream, false);
}

CUDA_API int __cudaLaunchKernel(const void* kernel, Dim3 grid, Dim3 block, void** arguments, size_t shared_bytes,
                                void* stream) {
  return cudaLaunchKernel(kernel, grid, block, arguments, shared_bytes, stream);
}

CUDA_API int cudaLaunchCooperativeKernel(const void* function, Dim3 grid, Dim3 block, void** arguments,
                                         size_t shared_bytes, void* stream) {
  return launch_kernel(function, grid, block, arguments, shared_bytes, stream, true);
}

CUDA_API int cudaLaunchKernelExC(const LaunchConfiguration* config, const void* function, void** arguments) {
  return call([&](Runtime& runtime) {
    if (config == nullptr || (config->attributes == nullptr && config->attribute_count > 0))
      return cudaErrorInvalidValue;
    LaunchRequest request{.function = function,
                          .grid = config->grid,
                          .block = config->block,
                          .arguments = arguments,
                          .dynamic_shared_bytes = config->dynamic_shared_bytes,
                          .stream = config->stream};
    const Error error = take_attributes(config->attributes, config->attribute_count, &request);
    return error != cudaSuccess ? error : launch(runtime, request);
  });
}
