// NVML's beginning and end, the system's versions, and handles.
#include <cstdio>
#include <cstring>
#include <string>

#include "warplens/base/text.h"
#include "warplens/cuda_api/nvml/nvml.h"

namespace warplens::cuda_api {

int& nvml_users() {
  static int users = 0;
  return users;
}

int nvml_device(const void* handle) {
  const auto number = static_cast<int64_t>(reinterpret_cast<intptr_t>(handle)) - 1;
  return number >= 0 && number < Runtime::get().devices ? static_cast<int>(number) : -1;
}

int tell_nvml(const void* handle, unsigned* out, unsigned value) {
  return with_nvml_device(handle, [&](Runtime&, int, const DeviceProperties&) {
    if (out == nullptr) return kNvmlInvalidArgument;
    *out = value;
    return kNvmlSuccess;
  });
}

int tell_nvml_text(char* out, unsigned length, std::string_view text) {
  if (out == nullptr) return kNvmlInvalidArgument;
  if (length <= text.size()) return kNvmlInsufficientSize;
  std::memcpy(out, text.data(), text.size());
  out[text.size()] = '\0';
  return kNvmlSuccess;
}

}  // namespace warplens::cuda_api

using namespace warplens;
using namespace warplens::cuda_api;

namespace {

constexpr std::string_view kDriver = "580.159.04",
                           kNvml = "13.580.159.04";  // of the H200 that answers are compared with

/// Where nvmlInit was called.
template <typename F>
int initialised(F work) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  return nvml_users() == 0 ? int{kNvmlUninitialised} : int{work(runtime)};
}

int handle_of(void** out, int number) {
  *out = reinterpret_cast<void*>(static_cast<intptr_t>(number) + 1);
  return kNvmlSuccess;
}

std::string uuid_of(int number) {
  DeviceProperties p;
  (void)cudaGetDeviceProperties(&p, number);
  const auto& u = p.uuid;
  return fmt::format(
      "GPU-{:02x}{:02x}{:02x}{:02x}-{:02x}{:02x}-{:02x}{:02x}-{:02x}{:02x}-{:02x}{:02x}{:02x}{:02x}{:02x}{:02x}", u[0],
      u[1], u[2], u[3], u[4], u[5], u[6], u[7], u[8], u[9], u[10], u[11], u[12], u[13], u[14], u[15]);
}

/// The GPU whose `name_of` is the text; -1: there is none.
template <typename F>
int find(const Runtime& runtime, const char* text, F name_of) {
  for (int number = 0; number < runtime.devices; ++number)
    if (name_of(number) == text) return number;
  return -1;
}

}  // namespace

CUDA_API int nvmlInitWithFlags(unsigned) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  if (!runtime.problem.ok()) return kNvmlDriverNotLoaded;
  ++nvml_users();
  return kNvmlSuccess;
}
CUDA_API int nvmlInit_v2() { return nvmlInitWithFlags(0); }
CUDA_API int nvmlInit() { return nvmlInitWithFlags(0); }
CUDA_API int nvmlShutdown() {
  return initialised([](Runtime&) { return --nvml_users(), kNvmlSuccess; });
}

CUDA_API const char* nvmlErrorString(int error) {
  constexpr const char* kTexts[] = {"Success",
                                    "Uninitialized",
                                    "Invalid Argument",
                                    "Not Supported",
                                    "Insufficient Permissions",
                                    "Already Initialized",
                                    "Not Found",
                                    "Insufficient Size",
                                    "Insufficient External Power",
                                    "Driver Not Loaded",
                                    "Timeout",
                                    "Interrupt Request Issue",
                                    "NVML Shared Library Not Found",
                                    "Function Not Found",
                                    "Corrupted infoROM",
                                    "GPU is lost",
                                    "GPU requires reset",
                                    "GPU access blocked by the operating system",
                                    "Driver/library version mismatch",
                                    "In use by another client",
                                    "Insufficient Memory",
                                    "No data",
                                    "vGPU ECC not supported",
                                    "Insufficient Resources",
                                    "Invalid Frequency",
                                    "Argument version mismatch",
                                    "Requested functionality has been deprecated",
                                    "System is not in ready state",
                                    "No supported GPUs were found",
                                    "Resource not in correct state to perform requested operation",
                                    "Reset type is not supported for given device"};
  return error >= 0 && error < static_cast<int>(std::size(kTexts)) ? kTexts[error] : "Unknown Error";
}

CUDA_API int nvmlSystemGetDriverVersion(char* text, unsigned length) {
  return initialised([&](Runtime&) { return tell_nvml_text(text, length, kDriver); });
}
CUDA_API int nvmlSystemGetNVMLVersion(char* text, unsigned length) {
  return initialised([&](Runtime&) { return tell_nvml_text(text, length, kNvml); });
}
CUDA_API int nvmlSystemGetCudaDriverVersion_v2(int* version) {
  return initialised([&](Runtime&) {
    if (version == nullptr) return kNvmlInvalidArgument;
    return cudaDriverGetVersion(version) == cudaSuccess ? kNvmlSuccess : kNvmlNotSupported;
  });
}
CUDA_API int nvmlSystemGetCudaDriverVersion(int* version) { return nvmlSystemGetCudaDriverVersion_v2(version); }

CUDA_API int nvmlDeviceGetCount_v2(unsigned* count) {
  return initialised([&](Runtime& runtime) {
    if (count == nullptr) return kNvmlInvalidArgument;
    *count = static_cast<unsigned>(runtime.devices);
    return kNvmlSuccess;
  });
}
CUDA_API int nvmlDeviceGetCount(unsigned* count) { return nvmlDeviceGetCount_v2(count); }
CUDA_API int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** out) {
  return initialised([&](Runtime& runtime) -> int {
    if (out == nullptr || index >= static_cast<unsigned>(runtime.devices)) return kNvmlInvalidArgument;
    return handle_of(out, static_cast<int>(index));
  });
}
CUDA_API int nvmlDeviceGetHandleByIndex(unsigned index, void** out) {
  return nvmlDeviceGetHandleByIndex_v2(index, out);
}
CUDA_API int nvmlDeviceGetHandleByUUID(const char* uuid, void** out) {
  return initialised([&](Runtime& runtime) -> int {
    if (uuid == nullptr || out == nullptr) return kNvmlInvalidArgument;
    const int number = find(runtime, uuid, uuid_of);
    return number < 0 ? int{kNvmlNotFound} : handle_of(out, number);
  });
}
/// "0000:01:00.0", with four or eight digits of the domain.
CUDA_API int nvmlDeviceGetHandleByPciBusId_v2(const char* text, void** out) {
  return initialised([&](Runtime& runtime) -> int {
    unsigned domain = 0, bus = 0, slot = 0;
    if (text == nullptr || out == nullptr || std::sscanf(text, "%x:%x:%x", &domain, &bus, &slot) != 3)
      return kNvmlInvalidArgument;
    for (int number = 0; number < runtime.devices; ++number) {
      DeviceProperties p;
      (void)cudaGetDeviceProperties(&p, number);
      const bool is_it = static_cast<int>(domain) == p.pci_domain_id && static_cast<int>(bus) == p.pci_bus_id &&
                         static_cast<int>(slot) == p.pci_device_id;
      if (is_it) return handle_of(out, number);
    }
    return kNvmlNotFound;
  });
}
CUDA_API int nvmlDeviceGetHandleByPciBusId(const char* text, void** out) {
  return nvmlDeviceGetHandleByPciBusId_v2(text, out);
}
CUDA_API int nvmlDeviceGetUUID(const void* handle, char* text, unsigned length) {
  return with_nvml_device(handle, [&](Runtime&, int number, const DeviceProperties&) {
    return tell_nvml_text(text, length, uuid_of(number));
  });
}
