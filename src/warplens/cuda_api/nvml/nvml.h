// The shared part of NVML's calls: its numbers, and the emulated GPUs behind its handles.
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

/// The device number of a handle, which is that number plus one; -1: not a handle.
int nvml_device(const void* handle);

/// Calls `work` with one GPU's number and properties. Error: nvmlInit was not called, or the handle is invalid.
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

/// A number that is the same for every queried GPU.
int tell_nvml(const void* handle, unsigned* out, unsigned value);
/// A text into room for `length` bytes.
int tell_nvml_text(char* out, unsigned length, std::string_view text);

}  // namespace warplens::cuda_api
