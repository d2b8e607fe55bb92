// From counted values to the report that emulated launches get too.
#pragma once
#include <functional>
#include <string_view>
#include <vector>

#include "warplens/counters/counts.h"
#include "warplens/report/report.h"

namespace warplens::counters {

/// Measured ceilings of a GPU; empty where it was never measured.
using PeaksOf = std::function<report::Peaks(const gpu::Device&)>;

/// The ways to memory, and the schedulers: if all have time left, a launch waits for latency.
inline constexpr std::string_view kDram = "DRAM", kL2 = "L2", kL1 = "L1 and shared memory", kIssueSlots = "issue slots",
                                  kSm = "busiest unit of the SM";

/// The launch's report: metrics, time, roofline, findings. A launch with a time alone gets its occupancy and that time.
/// Error: the GPU is not in the catalogue.
Result<report::KernelReport> measured_report(const CountedLaunch& launch, const CountedDevice& device,
                                             const PeaksOf& peaks_of);

/// Facts that only hardware counters give: units, stalls, hit rates. `metrics` are ordered by name.
Result<report::Measured> measured_values(const std::vector<report::Metric>& metrics, const CountedDevice& device);

/// True if the peaks and sizes of exactly this GPU are known.
bool in_catalogue(const CountedDevice& device);

/// Findings from hardware alone: stalls, achieved occupancy, uneven SMs, hit rates, pipes. Adds to report.findings.
void find_on_hardware(report::KernelReport* report);

}  // namespace warplens::counters
