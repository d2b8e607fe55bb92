// Libraries: images that the program hands over, and their kernels by name. The driver's modules under other names.
#include "warplens/cuda_api/calls.h"
#include "warplens/cuda_api/driver/driver.h"

using namespace warplens;
using namespace warplens::cuda_api;

extern "C" {
int cuInit(unsigned flags);
int cuDevicePrimaryCtxRetain(void** out, int device);
int cuCtxSetCurrent(void* context);
int cuModuleLoadData(Module** out, const void* image);
int cuModuleLoad(Module** out, const char* path);
int cuModuleUnload(Module* module);
int cuModuleGetFunction(const void** out, Module* module, const char* name);
int cuModuleGetFunctionCount(unsigned* count, Module* module);
int cuModuleEnumerateFunctions(const void** functions, unsigned count, Module* module);
int cuModuleGetGlobal_v2(simt::Address* address, size_t* size_bytes, Module* module, const char* name);
}

namespace {

/// Calls the driver as the runtime does: with the device's primary context.
template <typename F>
int with_driver(F use, const char* name = __builtin_FUNCTION()) {
  return call(
      [&](Runtime&) {
        void* context = nullptr;
        int error = cuInit(0);
        if (error == kDriverSuccess && !has_context()) {
          error = cuDevicePrimaryCtxRetain(&context, current_device());
          if (error == kDriverSuccess) error = cuCtxSetCurrent(context);
        }
        return static_cast<Error>(error == kDriverSuccess ? use() : error);
      },
      name);
}

}  // namespace

CUDA_API int cudaLibraryLoadData(Module** out, const void* image, const int*, void**, unsigned, const int*, void**,
                                 unsigned) {
  return with_driver([&] { return cuModuleLoadData(out, image); });
}
CUDA_API int cudaLibraryLoadFromFile(Module** out, const char* path, const int*, void**, unsigned, const int*, void**,
                                     unsigned) {
  return with_driver([&] { return cuModuleLoad(out, path); });
}
CUDA_API int cudaLibraryUnload(Module* library) {
  return with_driver([&] { return cuModuleUnload(library); });
}
CUDA_API int cudaLibraryGetKernel(const void** out, Module* library, const char* name) {
  return with_driver([&] { return cuModuleGetFunction(out, library, name); });
}
CUDA_API int cudaLibraryGetGlobal(simt::Address* address, size_t* size_bytes, Module* library, const char* name) {
  return with_driver([&] { return cuModuleGetGlobal_v2(address, size_bytes, library, name); });
}
CUDA_API int cudaLibraryGetManaged(simt::Address* address, size_t* size_bytes, Module* library, const char* name) {
  return cudaLibraryGetGlobal(address, size_bytes, library, name);
}
CUDA_API int cudaLibraryGetKernelCount(unsigned* count, Module* library) {
  return with_driver([&] { return cuModuleGetFunctionCount(count, library); });
}
CUDA_API int cudaLibraryEnumerateKernels(const void** kernels, unsigned count, Module* library) {
  return with_driver([&] { return cuModuleEnumerateFunctions(kernels, count, library); });
}
