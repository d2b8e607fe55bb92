// What nvcc's code calls before main: fat binaries, and the names behind the host's functions and variables.
#include "warplens/cuda_api/runtime.h"

using namespace warplens;
using namespace warplens::cuda_api;

namespace {

/// What a handle of __cudaRegisterFatBinary points at: nvcc's code keeps it and hands it back.
struct Wrapper {
  int magic, version;
  const void* data;         // the container; of -rdc the device-linked one
  const void* const* more;  // of -rdc: the relocatable ones that were linked, and a zero
};

Module* module_of(void** handle) { return static_cast<Module*>(*handle); }

void register_variable(void** handle, const void* host, const char* name) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  runtime.variables[host] = {module_of(handle), name};
}

}  // namespace

CUDA_API void** __cudaRegisterFatBinary(const Wrapper* wrapper) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  if (!runtime.problem.ok()) return new void*(nullptr);
  runtime.modules.push_back(
      std::make_unique<Module>(wrapper->data, *runtime.device, runtime.memory, runtime.checks(simt::kCheckAll)));
  constexpr int kLinked = 2;
  if (wrapper->version == kLinked) runtime.modules.back()->linked_of(wrapper->more);
  return new void*(runtime.modules.back().get());
}

CUDA_API void __cudaRegisterFatBinaryEnd(void**) {}
CUDA_API void __cudaUnregisterFatBinary(void** handle) { delete handle; }  // its module stays: this is at exit
CUDA_API char __cudaInitModule(void**) { return 0; }

CUDA_API void __cudaRegisterFunction(void** handle, const void* host, char*, const char* name, int, void*, void*, void*,
                                     void*, int*) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  runtime.functions[host] = {module_of(handle), name};
}

CUDA_API void __cudaRegisterVar(void** handle, const void* host, char*, const char* name, int, size_t, int, int) {
  register_variable(handle, host, name);
}

CUDA_API void __cudaRegisterManagedVar(void** handle, void** host, char*, const char* name, int, size_t, int, int) {
  register_variable(handle, host, name);
  const Result<Variable> variable = module_of(handle) ? module_of(handle)->variable(name) : not_found("no GPU");
  if (!variable.ok()) return;
  *host = reinterpret_cast<void*>(variable->address);
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  runtime.allocations[variable->address] = {Storage::kManaged, variable->size_bytes, 0, "",
                                            UINT64_MAX - runtime.variables.size()};
}
