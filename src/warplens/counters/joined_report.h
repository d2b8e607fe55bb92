// A launch that was emulated and counted by hardware, as one report: lines and causes of the one, time and stalls of
// the other.
#pragma once
#include <vector>

#include "warplens/report/report.h"

namespace warplens::counters {

/// Adds to `emulated` what the hardware counted of the same launch: its time, units and stalls, metrics that a model
/// estimated or that only hardware has, and its findings. Savings go by the measured time: of what the model is off for
/// this launch, half (in logarithms) is taken to stay when it is mended; docs/results/hardware-counters.md has how well
/// that holds.
void join_hardware(report::KernelReport* emulated, const report::KernelReport& hardware);

/// The same of many: a kernel's launches belong together in their order, and hardware may have each several times in a
/// row, of which the first counts. Returns how many of `emulated` found a partner.
size_t join_hardware(const std::vector<report::KernelReport*>& emulated,
                     const std::vector<const report::KernelReport*>& hardware);

}  // namespace warplens::counters
