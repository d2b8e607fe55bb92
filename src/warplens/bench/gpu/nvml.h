// NVIDIA's management library, loaded at run time: clocks and the reasons that limit them.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "warplens/base/status.h"

namespace warplens::bench {

class Nvml {
 public:
  /// The device at `pci_bus_id` ("0000:3b:00.0"). The error names the missing part; a benchmark continues without it.
  static Result<Nvml> open(const std::string& pci_bus_id);

  /// Bits of nvmlClocksEventReasons, 0 when they cannot be read.
  uint64_t throttle_bits() const;
  int64_t max_sm_clock_mhz() const;
  int64_t max_memory_clock_mhz() const;
  std::string driver_version() const;

 private:
  struct Functions;
  Nvml(const Functions* functions, void* device) : functions_(functions), device_(device) {}
  const Functions* functions_;
  void* device_;
};

/// Those of `bits` under which a kernel runs slower than it could: caps of power and heat, hardware slowdown. Idle
/// clocks and clocks set by the user are not among them.
std::vector<std::string_view> throttle_names(uint64_t bits);

}  // namespace warplens::bench
