#include "warplens/bench/gpu/nvml.h"

#include "warplens/base/dynamic_library.h"
#include "warplens/base/text.h"

namespace warplens::bench {

/// As nvml.h declares them; all return 0 for success.
struct Nvml::Functions {
  int (*init)() = nullptr;
  int (*device_by_bus)(const char*, void**) = nullptr;
  int (*throttle)(void*, unsigned long long*) = nullptr;
  int (*max_clock)(void*, int, unsigned*) = nullptr;
  int (*driver)(char*, unsigned) = nullptr;

  static Result<Functions> load() {
    WL_ASSIGN(const DynamicLibrary library, DynamicLibrary::open({"libnvidia-ml.so.1"}));
    Functions f;
    WL_TRY(library.find("nvmlInit_v2", f.init));
    WL_TRY(library.find("nvmlDeviceGetHandleByPciBusId_v2", f.device_by_bus));
    WL_TRY(library.find("nvmlDeviceGetCurrentClocksThrottleReasons", f.throttle));
    WL_TRY(library.find("nvmlDeviceGetMaxClockInfo", f.max_clock));
    WL_TRY(library.find("nvmlSystemGetDriverVersion", f.driver));
    if (const int code = f.init(); code != 0) return io_error(fmt::format("NVML does not start (code {})", code));
    return f;
  }
};

Result<Nvml> Nvml::open(const std::string& pci_bus_id) {
  static const Result<Functions> functions = Functions::load();
  if (!functions.ok()) return functions.status();
  void* device = nullptr;
  if (const int code = functions->device_by_bus(pci_bus_id.c_str(), &device); code != 0)
    return io_error(fmt::format("NVML does not show the device at {} (code {})", pci_bus_id, code));
  return Nvml(&*functions, device);
}

uint64_t Nvml::throttle_bits() const {
  unsigned long long bits = 0;
  return functions_->throttle(device_, &bits) == 0 ? bits : 0;
}

int64_t Nvml::max_sm_clock_mhz() const {
  unsigned mhz = 0;
  return functions_->max_clock(device_, 1, &mhz) == 0 ? mhz : 0;  // NVML_CLOCK_SM
}

int64_t Nvml::max_memory_clock_mhz() const {
  unsigned mhz = 0;
  return functions_->max_clock(device_, 2, &mhz) == 0 ? mhz : 0;  // NVML_CLOCK_MEM
}

std::string Nvml::driver_version() const {
  char text[96] = {};
  return functions_->driver(text, sizeof text) == 0 ? text : "";
}

std::vector<std::string_view> throttle_names(uint64_t bits) {
  struct Reason {
    uint64_t bit;
    std::string_view name;
  };
  static constexpr Reason kReasons[] = {{0x4, "power cap"},
                                        {0x8, "hardware slowdown"},
                                        {0x20, "thermal limit"},
                                        {0x40, "hardware thermal limit"},
                                        {0x80, "power brake"}};
  std::vector<std::string_view> names;
  for (const Reason& r : kReasons) {
    if (bits & r.bit) names.push_back(r.name);
  }
  return names;
}

}  // namespace warplens::bench
