// What NVML tells of a GPU, as far as the catalogue of GPUs and this process know it.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "warplens/base/text.h"
#include "warplens/cuda_api/nvml/nvml.h"

using namespace warplens;
using namespace warplens::cuda_api;

namespace {

uint64_t used_bytes(const Runtime& runtime, int device) {
  uint64_t used = 0;
  for (const auto& [begin, allocation] : runtime.allocations)
    used += allocation.device == device && allocation.storage != Storage::kPinned ? allocation.size_bytes : 0;
  return used;
}

struct MemoryInfo {
  uint64_t total, free, used;
};
struct MemoryInfo2 {
  unsigned version;
  uint64_t total, reserved, free, used;
};
struct PciInfo {
  char short_id[16];
  unsigned domain, bus, device, ids, subsystem;
  char id[32];
};
static_assert(sizeof(PciInfo) == 68);
struct ProcessInfo {
  unsigned process;
  uint64_t used_bytes;
  unsigned gpu_instance, compute_instance;
};
static_assert(sizeof(ProcessInfo) == 24);

/// Of the call without a version, which PyTorch makes when memory runs out.
struct FirstProcessInfo {
  unsigned process;
  uint64_t used_bytes;
};

MemoryInfo memory_of(const Runtime& runtime, int device) {
  const uint64_t total = runtime.memory_bytes(), used = std::min(total, used_bytes(runtime, device));
  return {total, total - used, used};
}

/// As nvmlDeviceArchitecture_t counts them.
unsigned architecture_of(const gpu::Arch& arch) {
  constexpr unsigned kVolta = 5, kTuring = 6, kAmpere = 7, kAda = 8, kHopper = 9, kBlackwell = 10;
  if (arch.major == 7) return arch.minor < 5 ? kVolta : kTuring;
  if (arch.major == 8) return arch.minor < 9 ? kAmpere : kAda;
  return arch.major == 9 ? kHopper : kBlackwell;
}

/// Of the clocks only that of the SMs is known.
int clock_of(const void* handle, int kind, unsigned* mhz) {
  return with_nvml_device(handle, [&](Runtime& runtime, int, const DeviceProperties&) {
    constexpr int kGraphics = 0, kSm = 1, kKinds = 4;
    if (mhz == nullptr || kind < 0 || kind >= kKinds) return kNvmlInvalidArgument;
    if ((kind != kGraphics && kind != kSm) || runtime.device->boost_mhz <= 0) return kNvmlNotSupported;
    *mhz = static_cast<unsigned>(runtime.device->boost_mhz);
    return kNvmlSuccess;
  });
}

/// This process, where it holds memory.
int processes_of(const void* handle, unsigned* count, ProcessInfo* out) {
  return with_nvml_device(handle, [&](Runtime& runtime, int number, const DeviceProperties&) {
    if (count == nullptr) return kNvmlInvalidArgument;
    const uint64_t used = used_bytes(runtime, number);
    const unsigned room = std::exchange(*count, used > 0 ? 1 : 0);
    if (room < *count) return kNvmlInsufficientSize;
    if (used > 0 && out == nullptr) return kNvmlInvalidArgument;
    constexpr unsigned kNone = 0xffffffff;
    if (used > 0) *out = {static_cast<unsigned>(::getpid()), used, kNone, kNone};
    return kNvmlSuccess;
  });
}

}  // namespace

CUDA_API int nvmlDeviceGetName(const void* handle, char* text, unsigned length) {
  return with_nvml_device(
      handle, [&](Runtime&, int, const DeviceProperties& p) { return tell_nvml_text(text, length, p.name); });
}
CUDA_API int nvmlDeviceGetIndex(const void* handle, unsigned* index) {
  return tell_nvml(handle, index, static_cast<unsigned>(std::max(nvml_device(handle), 0)));
}
CUDA_API int nvmlDeviceGetMinorNumber(const void* handle, unsigned* number) {
  return nvmlDeviceGetIndex(handle, number);
}
CUDA_API int nvmlDeviceGetMemoryInfo(const void* handle, MemoryInfo* out) {
  return with_nvml_device(handle, [&](Runtime& runtime, int number, const DeviceProperties&) {
    if (out == nullptr) return kNvmlInvalidArgument;
    *out = memory_of(runtime, number);
    return kNvmlSuccess;
  });
}
CUDA_API int nvmlDeviceGetMemoryInfo_v2(const void* handle, MemoryInfo2* out) {
  return with_nvml_device(handle, [&](Runtime& runtime, int number, const DeviceProperties&) {
    if (out == nullptr) return kNvmlInvalidArgument;
    const MemoryInfo info = memory_of(runtime, number);
    *out = {out->version, info.total, 0, info.free, info.used};
    return kNvmlSuccess;
  });
}
CUDA_API int nvmlDeviceGetCudaComputeCapability(const void* handle, int* major, int* minor) {
  return with_nvml_device(handle, [&](Runtime&, int, const DeviceProperties& p) {
    if (major == nullptr || minor == nullptr) return kNvmlInvalidArgument;
    *major = p.major;
    *minor = p.minor;
    return kNvmlSuccess;
  });
}
CUDA_API int nvmlDeviceGetPciInfo_v3(const void* handle, PciInfo* out) {
  return with_nvml_device(handle, [&](Runtime&, int, const DeviceProperties& p) {
    if (out == nullptr) return kNvmlInvalidArgument;
    *out = {};
    out->domain = static_cast<unsigned>(p.pci_domain_id);
    out->bus = static_cast<unsigned>(p.pci_bus_id);
    out->device = static_cast<unsigned>(p.pci_device_id);
    fmt::format_to_n(out->short_id, sizeof out->short_id - 1, "{:04X}:{:02X}:{:02X}.0", out->domain, out->bus,
                     out->device);
    fmt::format_to_n(out->id, sizeof out->id - 1, "{:08X}:{:02X}:{:02X}.0", out->domain, out->bus, out->device);
    return kNvmlSuccess;
  });
}
CUDA_API int nvmlDeviceGetPciInfo_v2(const void* handle, PciInfo* out) { return nvmlDeviceGetPciInfo_v3(handle, out); }
CUDA_API int nvmlDeviceGetPciInfo(const void* handle, PciInfo* out) { return nvmlDeviceGetPciInfo_v3(handle, out); }
CUDA_API int nvmlDeviceGetArchitecture(const void* handle, unsigned* out) {
  return with_nvml_device(handle, [&](Runtime& runtime, int, const DeviceProperties&) {
    if (out == nullptr) return kNvmlInvalidArgument;
    *out = architecture_of(runtime.device->architecture());
    return kNvmlSuccess;
  });
}
/// FP32 lanes: what the data sheet's peak says at its clock.
CUDA_API int nvmlDeviceGetNumGpuCores(const void* handle, unsigned* out) {
  return with_nvml_device(handle, [&](Runtime& runtime, int, const DeviceProperties&) {
    if (out == nullptr) return kNvmlInvalidArgument;
    const gpu::Device& device = *runtime.device;
    if (device.fp32_tflops <= 0 || device.boost_mhz <= 0 || device.sms <= 0) return kNvmlNotSupported;
    constexpr double kFlopsOfAnFma = 2, kLanesOfAPartition = 32;
    const double of_an_sm = device.fp32_tflops * 1e12 / (device.clock_hz() * kFlopsOfAnFma * device.sms);
    *out = static_cast<unsigned>(std::lround(of_an_sm / kLanesOfAPartition) * 32) * static_cast<unsigned>(device.sms);
    return kNvmlSuccess;
  });
}
CUDA_API int nvmlDeviceGetClockInfo(const void* handle, int kind, unsigned* mhz) { return clock_of(handle, kind, mhz); }
CUDA_API int nvmlDeviceGetMaxClockInfo(const void* handle, int kind, unsigned* mhz) {
  return clock_of(handle, kind, mhz);
}
CUDA_API int nvmlDeviceGetApplicationsClock(const void* handle, int kind, unsigned* mhz) {
  return clock_of(handle, kind, mhz);
}
CUDA_API int nvmlDeviceGetComputeMode(const void* handle, unsigned* mode) { return tell_nvml(handle, mode, 0); }
CUDA_API int nvmlDeviceGetMultiGpuBoard(const void* handle, unsigned* out) { return tell_nvml(handle, out, 0); }
CUDA_API int nvmlDeviceGetDisplayActive(const void* handle, unsigned* out) { return tell_nvml(handle, out, 0); }

CUDA_API int nvmlDeviceGetComputeRunningProcesses_v3(const void* handle, unsigned* count, ProcessInfo* out) {
  return processes_of(handle, count, out);
}
CUDA_API int nvmlDeviceGetComputeRunningProcesses_v2(const void* handle, unsigned* count, ProcessInfo* out) {
  return processes_of(handle, count, out);
}
CUDA_API int nvmlDeviceGetComputeRunningProcesses(const void* handle, unsigned* count, FirstProcessInfo* out) {
  ProcessInfo found{};
  const int status = processes_of(handle, count, out == nullptr ? nullptr : &found);
  if (status == kNvmlSuccess && *count > 0) *out = {found.process, found.used_bytes};
  return status;
}
/// None draws.
CUDA_API int nvmlDeviceGetGraphicsRunningProcesses_v3(const void* handle, unsigned* count, ProcessInfo*) {
  return tell_nvml(handle, count, 0);
}

/// Whether one GPU reaches the other's memory: all do.
CUDA_API int nvmlDeviceGetP2PStatus(const void* one, const void* other, int, unsigned* status) {
  return nvml_device(other) < 0 ? int{kNvmlInvalidArgument} : tell_nvml(one, status, 0);
}
CUDA_API int nvmlDeviceGetTopologyCommonAncestor(const void* one, const void* other, unsigned* level) {
  if (nvml_device(other) < 0) return kNvmlInvalidArgument;
  if (one == other) return tell_nvml(one, level, 0);
  return with_nvml_device(one, [](Runtime&, int, const DeviceProperties&) { return kNvmlNotSupported; });
}
CUDA_API int nvmlDeviceOnSameBoard(const void* one, const void* other, unsigned* same) {
  return nvml_device(other) < 0 ? int{kNvmlInvalidArgument} : tell_nvml(one, same, one == other ? 1 : 0);
}
