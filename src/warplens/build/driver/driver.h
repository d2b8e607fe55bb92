// The CUDA driver API, loaded at run time: types and functions as cuda.h declares them.
#pragma once
#include <cstddef>
#include <cstdint>

#include "warplens/base/status.h"

namespace warplens::cuda {

using DevicePointer = uint64_t;
using Context = struct OpaqueContext*;
using ModuleHandle = struct OpaqueModule*;
using FunctionHandle = struct OpaqueFunction*;
using EventHandle = struct OpaqueEvent*;
using StreamHandle = struct OpaqueStream*;

// Numbers of cuda.h: CUdevice_attribute, CUfunction_attribute, CUlaunchAttributeID, CU_LAUNCH_PARAM_*.
inline constexpr int kDeviceMajor = 75, kDeviceMinor = 76, kDeviceSms = 16, kDeviceL2Bytes = 38,
                     kDeviceMaxSharedOptin = 97;
inline constexpr int kFunctionMaxThreads = 0, kFunctionSharedBytes = 1, kFunctionLocalBytes = 3, kFunctionRegisters = 4,
                     kFunctionMaxDynamicShared = 8, kFunctionNonPortableCluster = 14;
inline constexpr unsigned kStreamNonBlocking = 1;
inline constexpr int kPointerDeviceOrdinal = 9;
inline constexpr int kLaunchCooperative = 2, kLaunchClusterDimension = 4;
inline void* const kParamEnd = nullptr;
inline void* const kParamBuffer = reinterpret_cast<void*>(1);
inline void* const kParamBufferSize = reinterpret_cast<void*>(2);
inline constexpr int kJitErrorLog = 5, kJitErrorLogBytes = 6;

/// CUlaunchAttribute: an id, then a 64-byte union.
struct LaunchAttribute {
  int id;
  char padding[4];
  union {
    char bytes[64];
    int cooperative;
    uint32_t cluster[3];
  } value;
};
static_assert(sizeof(LaunchAttribute) == 72);

/// CUlaunchConfig.
struct LaunchConfig {
  unsigned grid[3], block[3], shared_bytes;
  StreamHandle stream;
  LaunchAttribute* attributes;
  unsigned attribute_count;
};

struct Driver {
#define FUNCTION(member, symbol, parameters) int(*member) parameters = nullptr;
#include "warplens/build/driver/driver_functions.def"
#undef FUNCTION
  /// Success, or "WHAT: CUDA_ERROR_X: text".
  Status check(int code, const char* what) const;
};

/// The driver of this machine, initialised. The error explains why there is none.
Result<const Driver*> driver();

}  // namespace warplens::cuda
