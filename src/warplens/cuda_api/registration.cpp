// What nvcc's code calls before main: fat binaries, and the names behind the host's functions and variables.
#include <vector>

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

/// What the handle that nvcc's code keeps points at.
struct Registered {
  void* module = nullptr;                         // a Module; nullptr: there is no GPU
  std::vector<const void*> functions, variables;  // the host's, that stand for the module's
};

Registered& registered(void** handle) { return *reinterpret_cast<Registered*>(handle); }
Module* module_of(void** handle) { return static_cast<Module*>(registered(handle).module); }

void** handle_of(Module* module) { return reinterpret_cast<void**>(new Registered{module, {}, {}}); }

/// The names of a library that is unloaded: others may lie there later.
void forget(std::map<const void*, DeviceName>& names, const std::vector<const void*>& hosts, const Module* module) {
  for (const void* host : hosts) {
    const auto found = names.find(host);
    if (found != names.end() && found->second.module == module) names.erase(found);
  }
}

void register_variable(void** handle, const void* host, const char* name) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  runtime.variables[host] = {module_of(handle), name};
  registered(handle).variables.push_back(host);
}

}  // namespace

CUDA_API void** __cudaRegisterFatBinary(const Wrapper* wrapper) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  if (!runtime.problem.ok()) return handle_of(nullptr);
  runtime.modules.push_back(
      std::make_unique<Module>(wrapper->data, *runtime.device, runtime.memory, runtime.checks(simt::kCheckAll)));
  runtime.modules.back()->is_of_program();
  constexpr int kLinked = 2;
  if (wrapper->version == kLinked) runtime.modules.back()->linked_of(wrapper->more);
  return handle_of(runtime.modules.back().get());
}

CUDA_API void __cudaRegisterFatBinaryEnd(void**) {}

/// The module stays with the memory of its variables: nothing says that nobody uses them any more.
CUDA_API void __cudaUnregisterFatBinary(void** handle) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  forget(runtime.functions, registered(handle).functions, module_of(handle));
  forget(runtime.variables, registered(handle).variables, module_of(handle));
  delete &registered(handle);
}
CUDA_API char __cudaInitModule(void**) { return 0; }

CUDA_API void __cudaRegisterFunction(void** handle, const void* host, char*, const char* name, int, void*, void*, void*,
                                     void*, int*) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  runtime.functions[host] = {module_of(handle), name};
  registered(handle).functions.push_back(host);
}

CUDA_API void __cudaRegisterVar(void** handle, const void* host, char*, const char* name, int, size_t, int, int) {
  register_variable(handle, host, name);
}

CUDA_API void __cudaRegisterManagedVar(void** handle, void** host, char*, const char* name, int, size_t, int, int) {
  register_variable(handle, host, name);
  const Result<Variable> variable = module_of(handle) ? module_of(handle)->manage(name) : not_found("no GPU");
  if (!variable.ok()) return;
  *host = reinterpret_cast<void*>(variable->address);
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  runtime.allocations[variable->address] = {Storage::kManaged, variable->size_bytes, 0, "",
                                            UINT64_MAX - runtime.variables.size()};
}
