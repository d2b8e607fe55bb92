#include "warplens/cuda_api/torch_settings.h"

#include <dlfcn.h>

namespace warplens::cuda_api {
namespace {

using Context = void*();
using Set = void(void*, bool);

/// The functions by the names that C++ gives them: at::globalContext(), and methods of at::Context.
bool turn_cudnn_off(void* torch) {
  auto* const context = reinterpret_cast<Context*>(::dlsym(torch, "_ZN2at13globalContextEv"));
  if (context == nullptr) return false;
  for (const char* setter : {"_ZN2at7Context19setUserEnabledCuDNNEb", "_ZN2at7Context14setSDPUseCuDNNEb"}) {
    if (auto* const set = reinterpret_cast<Set*>(::dlsym(torch, setter))) set(context(), false);
  }
  return true;
}

}  // namespace

void prepare_torch() {
  static bool done = false;
  if (done) return;
  void* const torch = ::dlopen("libtorch_cpu.so", RTLD_NOW | RTLD_NOLOAD);
  if (torch == nullptr) return;
  done = turn_cudnn_off(torch);
  ::dlclose(torch);
}

}  // namespace warplens::cuda_api
