// Functions of the libcuda that is in the process, by the names that it exports.
#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "warplens/collect/counters/abi.h"

namespace warplens::cupti {

using DevicePointer = unsigned long long;

#define WL_DRIVER_FUNCTIONS(F)                                                                               \
  F(cuCtxGetCurrent, int(void**))                                                                            \
  F(cuCtxGetDevice, int(int*))                                                                               \
  F(cuCtxPopCurrent_v2, int(void**))                                                                         \
  F(cuCtxPushCurrent_v2, int(void*))                                                                         \
  F(cuCtxSynchronize, int())                                                                                 \
  F(cuDeviceGetAttribute, int(int*, int, int))                                                               \
  F(cuFuncGetAttribute, int(int*, int, void*))                                                               \
  F(cuFuncGetModule, int(void**, void*))                                                                     \
  F(cuFuncGetParamInfo, int(void*, size_t, size_t*, size_t*))                                                \
  F(cuKernelGetFunction, int(void**, void*))                                                                 \
  F(cuLaunchCooperativeKernel,                                                                               \
    int(void*, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, void*, void**))         \
  F(cuLaunchKernel,                                                                                          \
    int(void*, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, void*, void**, void**)) \
  F(cuLaunchKernelEx, int(const LaunchConfig*, void*, void**, void**))                                       \
  F(cuMemAlloc_v2, int(DevicePointer*, size_t))                                                              \
  F(cuMemFree_v2, int(DevicePointer))                                                                        \
  F(cuMemGetInfo_v2, int(size_t*, size_t*))                                                                  \
  F(cuMemcpyDtoDAsync_v2, int(DevicePointer, DevicePointer, size_t, void*))                                  \
  F(cuModuleGetGlobal_v2, int(DevicePointer*, size_t*, void*, const char*))

/// Each is nullptr where the driver does not have it, or there is no driver.
struct Driver {
#define WL_DECLARE(name, type) std::add_pointer_t<type> name = nullptr;
  WL_DRIVER_FUNCTIONS(WL_DECLARE)
#undef WL_DECLARE
};

const Driver& driver();

/// The CUfunction for `function`, which may be a CUkernel: programs may launch either.
void* plain_function(void* function);

/// Makes a context the thread's current one while it lives.
class InContext {
 public:
  explicit InContext(void* context);
  InContext(const InContext&) = delete;
  InContext& operator=(const InContext&) = delete;
  ~InContext();

 private:
  bool pushed_ = false;
};

}  // namespace warplens::cupti
