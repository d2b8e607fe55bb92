// The counts of a program's launches, as the injected library wrote them.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warplens/base/status.h"

namespace warplens::counters {

/// A device as one context of it was counted.
struct CountedDevice {
  int64_t ordinal = 0, sms = 0, passes = 0;
  int64_t compute = 0;                                                   // compute capability: 90 for 9.0
  int64_t clock_khz = 0, memory_khz = 0, memory_bits = 0, l2_bytes = 0;  // of the driver; 0: the file does not say
  std::string name, chip;
  std::vector<std::string> metrics, units, missing;
  std::string refused;  // why there are no counters; empty where there are
};

/// Another profiler's own conclusions about a launch.
struct ToolRule {
  std::string id, kind, text;  // kind: ncu's INF, WRN, OPT
  double speedup_percent = 0;  // its estimate; 0 if it has none
};

struct CountedLaunch {
  std::string kernel;  // mangled
  std::array<uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1}, cluster{1, 1, 1};
  bool cooperative = false;
  int64_t registers = 0, static_shared_bytes = 0, dynamic_shared_bytes = 0, local_bytes = 0, carveout_percent = -1;
  size_t device = 0;                          // index into Counts::devices
  std::vector<std::optional<double>> values;  // of the device's metrics; empty: not counted
  int64_t ns = 0;                             // set if only a time was taken
  std::string skipped;                        // why there is neither
  std::vector<ToolRule> rules;
};

/// An NVTX range as a whole.
struct CountedRange {
  std::string name;
  int64_t times = 0;  // that the program came to it: once a pass
  int64_t least_launches = 0, most_launches = 0, graph_launches = 0;
  size_t device = 0;                          // index into Counts::devices
  std::vector<std::optional<double>> values;  // of the device's metrics
  std::string skipped;                        // why there are no values
};

/// Samples of one instruction, by the index of their stall reason.
struct SampledPlace {
  std::string kernel;   // mangled
  uint64_t offset = 0;  // in the kernel's machine code
  std::string file;     // empty without line information
  uint32_t line = 0;
  std::vector<uint64_t> by_reason;
};

/// The results of sampling program counters.
struct Sampling {
  std::vector<std::string> reasons;  // as CUPTI names them
  int64_t period_cycles = 0, samples = 0, dropped = 0;
  std::map<std::string, int64_t> launches;  // by mangled kernel
  std::vector<SampledPlace> places;
};

/// The counts of one instruction of a kernel over all of its launches.
struct CountedPlace {
  std::string kernel;   // mangled
  uint64_t offset = 0;  // in the kernel's machine code
  std::string file;     // empty without line information
  uint32_t line = 0;
  std::vector<uint64_t> counts;  // of the metrics
};

/// The counts of code that was patched for counting.
struct Instructions {
  std::vector<std::string> metrics;
  std::map<std::string, int64_t> launches;  // by mangled kernel
  std::vector<CountedPlace> places;
};

/// A launch sampled at fixed intervals.
struct OverTime {
  std::string kernel;  // mangled
  int64_t interval_ns = 0;
  bool overflow = false;  // its end is missing
  std::vector<std::string> metrics;
  std::vector<int64_t> starts_ns;           // of the intervals
  std::vector<std::vector<double>> values;  // of the metrics, by interval
};

struct Counts {
  std::vector<CountedDevice> devices;
  std::vector<CountedLaunch> launches;       // those that were chosen
  std::vector<CountedRange> ranges;          // or ranges, in place of launches
  std::optional<Sampling> sampling;          // if samples replaced metrics
  std::optional<Instructions> instructions;  // or counts of each instruction
  std::vector<OverTime> over_time;           // or throughput over time
  std::map<std::string, std::string> code;   // machine code of kernels whose instructions have samples or counts: bytes
  int64_t launched = 0, graph_launches = 0;  // of the whole program
  bool ended = false;                        // false: the program died, or still runs
  bool locked_clocks = false;                // the profiler locked them to a low rate, as ncu does by default
  std::vector<std::string> notes;            // the parts that could not be read
};

/// True if `text` begins like such a file.
bool is_counts(std::string_view text);

/// The error names the line. A last line that is cut short is left out.
Result<Counts> read_counts(std::string_view text);

}  // namespace warplens::counters
