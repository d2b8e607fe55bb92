// The results of a benchmark, as a file holds them.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "warplens/base/status.h"

namespace warplens::json {
class Writer;
}

namespace warplens::bench {

/// The machine and its state. Empty or 0 where it does not apply or is not known.
struct Environment {
  std::string date, host, cpu, program;
  std::string device, driver, arch;
  int64_t sms = 0, l2_bytes = 0, max_sm_clock_mhz = 0, max_memory_clock_mhz = 0;
  double launch_overhead_ns = 0;  // an empty kernel, timed as the others are
  double noise_floor = 0;         // share by which A/A runs differ, 95 % of them; 0 when not measured
};

/// One output compared with its reference.
struct OutputCheck {
  std::string output, detail;  // detail: where the largest error, NaN or infinity is
  bool passed = false;
  double error = 0, tolerance = 0;  // norm of the difference over the norm of the reference
};

/// How the numbers came about.
inline constexpr std::string_view kMeasured = "measured", kEmulated = "emulated", kCpu = "cpu";

/// One benchmark at one point of its axes. Emulated ones have metrics and a time bound, and no samples.
struct Measurement {
  std::string name, source, regime;                       // regime: cold, warm or throughput
  std::vector<std::pair<std::string, std::string>> axes;  // "n" -> "1048576"
  std::vector<double> samples_ns;
  double median_ns = 0, low_ns = 0, high_ns = 0;  // with its confidence interval
  double confidence = 0.95, target = 0, resolution_ns = 0;
  bool target_reached = false;
  std::map<std::string, int64_t> dropped;  // why -> samples
  double sm_clock_mhz = 0;                 // median over the samples
  double throttled_share = 0;
  std::vector<std::string> throttle_reasons;
  double bytes = 0, flops = 0;  // per call; 0: not stated
  double bytes_per_second = 0, flops_per_second = 0;
  double share_of_ceiling = 0;            // of the nearer one; 0: unknown
  double bound_ns = 0;                    // no run can be faster: bytes and FLOPs over the peaks
  double estimate_ns = 0;                 // of an emulated launch: the modelled time
  std::string modelled_device;            // of an emulated launch: the GPU that bound and estimate are for
  double host_ns = 0;                     // CPU time to enqueue one call
  int64_t memory_bytes = 0;               // device memory that its buffers take
  std::map<std::string, double> metrics;  // exact counters, named as Nsight Compute does
  std::vector<OutputCheck> checks;
  std::string machine_code;  // digests of its kernels' machine code; not kept in files
  bool valid = true;
  std::vector<std::string> errors, notes;

  /// Name and axes in one line: "saxpy n=1048576".
  std::string label() const;
  /// The identity of a run: label, source and regime.
  std::string key() const;
};

struct Results {
  Environment environment;
  std::string title, source_hash;  // hash of the source text and options, "" for C++ programs
  std::vector<Measurement> measurements;
};

std::string to_json(const Results& results);
/// The member "checks" of an object that `out` is in, as results have it.
void write_checks(json::Writer& out, const std::vector<OutputCheck>& checks);
/// The members "metrics" and "units", likewise.
void write_metrics(json::Writer& out, const std::map<std::string, double>& metrics);

/// The error names the member that is missing or of the wrong type.
Result<Results> parse_results(std::string_view text);

/// Reads a file; "-" is standard input.
Result<Results> read_results(const std::string& path);

/// Host, CPU and date of this machine; the device's part is left empty.
Environment this_machine();

/// A hash of `text` in hexadecimal, for telling sources apart (FNV-1a, 64 bits).
std::string content_hash(std::string_view text);

}  // namespace warplens::bench
