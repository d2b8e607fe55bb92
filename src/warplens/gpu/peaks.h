// Peak rates of GPUs of any vendor, from a file's description of them.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "warplens/gpu/device.h"

namespace warplens::gpu {

/// From data sheets: dense, at the boost clock; 0 means that the unit does not exist.
struct Peaks {
  int sms;
  double fp32_tflops, fp64_tflops, fp64_tensor_tflops, tf32_tflops, half_tflops, fp8_tflops;
  double dram_gbs;  // gigabytes (1e9) a second
};

/// A device as a recording describes it. AMD's have wavefronts of 64 threads, and gfx942 is compute capability 9.4.
struct DeviceSaid {
  std::string_view name;  // "AMD Instinct MI300X"; drivers leave it empty or say "AMD Radeon Graphics", too
  int sms, compute_major, compute_minor, warp_size;
  double boost_mhz = 0, dram_gbs = 0;  // as the driver gives them; 0: not said
  int64_t l2_bytes = 0;                // likewise
};

bool is_amd(const DeviceSaid& device);

/// NVIDIA's from the catalogue by name; AMD's Instinct by name, else by architecture and compute units. An MI250 is
/// seen as two devices: peaks are those of one. No value for others.
std::optional<Peaks> find_peaks(const DeviceSaid& device);

Peaks peaks_of(const Device& device);

/// NVIDIA's from the catalogue by name. Another one gets the sizes that are said of it. The rest comes from the chip of
/// that name, or from the best known GPU of its architecture, in proportion to SMs and clock. The result lives as long
/// as the process. Error: the architecture is unknown.
Result<const Device*> device_said(const DeviceSaid& device);

}  // namespace warplens::gpu
