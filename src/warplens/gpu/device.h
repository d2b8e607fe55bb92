// The catalogue of GPUs: sizes and peaks from their data sheets.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "warplens/gpu/arch.h"

namespace warplens::gpu {

/// Peaks are dense and at the boost clock; 0 means that the unit does not exist.
struct Device {
  const char* key;                   // "h200", as --device takes it
  const char* name;                  // "H200 SXM"
  std::vector<const char*> aliases;  // other spellings, lower case
  const char* arch;                  // "sm_90"
  int sms, boost_mhz;
  double fp32_tflops, fp64_tflops, fp64_tensor_tflops, tf32_tflops, half_tflops, fp8_tflops;
  double dram_gbs;       // gigabytes (1e9) a second
  int l2_mb;             // as the driver reports it
  double dram_measured;  // best copy bandwidth seen over dram_gbs; 0 where not measured
  int memory_gib;        // the data sheets' "GB", which the driver counts in GiB; 0: not known

  const Arch& architecture() const;
  double clock_hz() const { return boost_mhz * 1e6; }
};

const std::vector<Device>& all_devices();

/// Adds a device of the user's own. Call it before any lookup: results of all_devices() become invalid. Error: another
/// device has its key.
Status add_device(Device device);

/// By key, name or alias, in any case; spaces, '-' and '_' do not matter. The error suggests the nearest.
Result<const Device*> find_device(std::string_view name);

/// The device a report for `arch` uses when none was chosen: the best known of that architecture.
const Device& default_device(const Arch& arch);

/// The device for code of a compute capability, 90 for 9.0, which may be older or newer than the known ones. It has the
/// newest architecture not above it. Older code runs anywhere, so it gets an H200.
const Device& device_for(int compute_capability);

}  // namespace warplens::gpu
