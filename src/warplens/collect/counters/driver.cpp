#include "warplens/collect/counters/driver.h"

#include <dlfcn.h>

namespace warplens::cupti {
namespace {

Driver find_driver() {
  Driver out;
  void* library = ::dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return out;
#define WL_FIND(name, type) out.name = reinterpret_cast<decltype(out.name)>(::dlsym(library, #name));
  WL_DRIVER_FUNCTIONS(WL_FIND)
#undef WL_FIND
  return out;
}

constexpr int kAnyAttribute = 0;  // CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK

}  // namespace

const Driver& driver() {
  static const Driver found = find_driver();
  return found;
}

void* plain_function(void* function) {
  const Driver& cuda = driver();
  int value = 0;
  void* of_kernel = nullptr;
  if (cuda.cuFuncGetAttribute == nullptr || cuda.cuFuncGetAttribute(&value, kAnyAttribute, function) == 0)
    return function;
  if (cuda.cuKernelGetFunction != nullptr && cuda.cuKernelGetFunction(&of_kernel, function) == 0) return of_kernel;
  return function;
}

InContext::InContext(void* context) {
  const Driver& cuda = driver();
  pushed_ = cuda.cuCtxPushCurrent_v2 != nullptr && cuda.cuCtxPushCurrent_v2(context) == 0;
}

InContext::~InContext() {
  void* popped = nullptr;
  if (pushed_) driver().cuCtxPopCurrent_v2(&popped);
}

}  // namespace warplens::cupti
