#include "warplens/cuda_api/torch_settings.h"

#include <dlfcn.h>

#include <cstdlib>

namespace warplens::cuda_api {
namespace {

using Context = void*();
using Set = void(void*, bool);

/// The functions by the names that C++ gives them: at::globalContext(), and a method of at::Context.
bool turn_cudnn_attention_off(void* torch) {
  auto* const context = reinterpret_cast<Context*>(::dlsym(torch, "_ZN2at13globalContextEv"));
  if (context == nullptr) return false;
  if (auto* const set = reinterpret_cast<Set*>(::dlsym(torch, "_ZN2at7Context14setSDPUseCuDNNEb")))
    set(context(), false);
  return true;
}

}  // namespace

void prepare_torch() {
  static bool done = false;
  if (done) return;
  void* const torch = ::dlopen("libtorch_cpu.so", RTLD_NOW | RTLD_NOLOAD);
  if (torch == nullptr) return;
  done = turn_cudnn_attention_off(torch);
  ::setenv("TORCH_CUDNN_V8_API_DISABLED", "1", 0);  // before PyTorch's first convolution asks for it
  ::dlclose(torch);
}

}  // namespace warplens::cuda_api
