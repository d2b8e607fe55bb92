// The rates that this GPU reaches in practice, measured by our own kernels: the roofs of every roofline.
#pragma once
#include <string>
#include <vector>

#include "warplens/base/json.h"
#include "warplens/bench/gpu/gpu_timer.h"
#include "warplens/bench/harness/measure.h"
#include "warplens/output/table.h"

namespace warplens::bench {

struct Ceiling {
  std::string key;   // "dram_read", "bf16_tensor", ...: see ceilings.cpp
  std::string what;  // in words
  std::string unit;  // "B/s", "FLOP/s", "ns"
  double value = 0;  // median over samples of a few milliseconds
  double sm_clock_mhz = 0;
  std::string note;
};

struct MeasuredCeilings {
  Environment environment;
  std::vector<Ceiling> ceilings;
  const Ceiling* find(std::string_view key) const;
};

/// About 2 s on an H200. A unit that the device lacks is left out.
Result<MeasuredCeilings> measure_ceilings(GpuTimer& timer);

std::string to_json(const MeasuredCeilings& measured);
Result<MeasuredCeilings> parse_ceilings(std::string_view json);
Table ceilings_table(const MeasuredCeilings& measured);

/// Where the ceilings of a device are kept: a file in the cache directory, named after the device.
std::string ceilings_path(const std::string& device);
/// The stored ceilings of `device`. Error: there are none, with the command that measures them.
Result<MeasuredCeilings> stored_ceilings(const std::string& device);
/// The highest stored rates of `device`, which no measurement may exceed; unknown ones are 0.
Ceilings stored_limits(const std::string& device);

}  // namespace warplens::bench
