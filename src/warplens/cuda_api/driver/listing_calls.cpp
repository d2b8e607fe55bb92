// What a module holds, and the module that a function is of.
#include <algorithm>

#include "warplens/cuda_api/driver/driver.h"

using namespace warplens;
using namespace warplens::cuda_api;

extern "C" int cuModuleGetFunction(const void** out, Module* module, const char* name);

namespace {

template <typename F>
int with_names(Module* handle, F use) {
  return in_driver([&](Runtime& runtime) -> int {
    const bool known = std::ranges::any_of(runtime.modules, [&](const auto& module) { return module.get() == handle; });
    if (!known) return cudaErrorInvalidResourceHandle;
    const Result<std::vector<std::string>> names = handle->kernel_names();
    if (!names.ok()) return runtime.tell(cudaErrorInvalidKernelImage, names.status().message());
    return use(*names);
  });
}

}  // namespace

CUDA_API int cuModuleGetFunctionCount(unsigned* count, Module* module) {
  if (count == nullptr) return kDriverInvalidValue;
  return with_names(module, [&](const std::vector<std::string>& names) {
    *count = static_cast<unsigned>(names.size());
    return int{cudaSuccess};
  });
}
CUDA_API int cuModuleEnumerateFunctions(const void** functions, unsigned count, Module* module) {
  if (functions == nullptr || count == 0) return kDriverInvalidValue;
  return with_names(module, [&](const std::vector<std::string>& names) {
    int error = kDriverSuccess;
    for (size_t i = 0; i < names.size() && i < count && error == kDriverSuccess; ++i)
      error = cuModuleGetFunction(&functions[i], module, names[i].c_str());
    return error;
  });
}
CUDA_API int cuFuncGetModule(Module** out, const void* function) {
  return in_driver([&](Runtime& runtime) {
    if (out == nullptr) return cudaErrorInvalidValue;
    const auto found = runtime.functions.find(function);
    if (found == runtime.functions.end()) return cudaErrorInvalidResourceHandle;
    *out = found->second.module;
    return cudaSuccess;
  });
}

// A library is a module, and a kernel of it a function.
CUDA_API int cuLibraryGetKernelCount(unsigned* count, Module* library) {
  return cuModuleGetFunctionCount(count, library);
}
CUDA_API int cuLibraryEnumerateKernels(const void** kernels, unsigned count, Module* library) {
  return cuModuleEnumerateFunctions(kernels, count, library);
}
CUDA_API int cuKernelGetLibrary(Module** out, const void* kernel) { return cuFuncGetModule(out, kernel); }
