// What the calls of NVML share: its numbers, and the emulated GPUs behind its handles.
#pragma once
#include "warplens/cuda_api/calls.h"

namespace warplens::cuda_api {

enum NvmlResult : int {
  kNvmlSuccess = 0,
  kNvmlUninitialised = 1,
  kNvmlInvalidArgument = 2,
  kNvmlNotSupported = 3,
  kNvmlNotFound = 6,
  kNvmlInsufficientSize = 7,
  kNvmlDriverNotLoaded = 9,
};

/// How often nvmlInit was called and not undone.
int& nvml_users();

/// Of a handle, which is the device's number and one; -1: it is none.
int nvml_device(const void* handle);

/// `work` on one GPU: its number and properties. Answers where nobody has called nvmlInit, or the handle is none.
template <typename F>
int with_nvml_device(const void* handle, F work) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  if (nvml_users() == 0) return kNvmlUninitialised;
  const int number = nvml_device(handle);
  if (number < 0) return kNvmlInvalidArgument;
  ++calls_of_thread().driver_depth;  // NVML uses no context
  DeviceProperties properties;
  (void)cudaGetDeviceProperties(&properties, number);
  --calls_of_thread().driver_depth;
  return work(runtime, number, properties);
}

/// A number that is the same for every GPU that is asked.
int tell_nvml(const void* handle, unsigned* out, unsigned value);
/// A text into room for `length` bytes.
int tell_nvml_text(char* out, unsigned length, std::string_view text);

}  // namespace warplens::cuda_api
