// A launch that was emulated and counted by hardware, as one report: lines and causes of the one, time and stalls of
// the other.
#pragma once
#include <vector>

#include "warplens/report/report.h"

namespace warplens::counters {

/// Adds hardware counters of the same launch to `emulated`. These are its time, units and stalls, metrics that a model
/// estimated or that only hardware has, and its findings. Savings refer to the measured time. Half of the model's error
/// for this launch (in logarithms) is assumed to remain after a fix; docs/results/hardware-counters.md shows how well
/// that works.
void join_hardware(report::KernelReport* emulated, const report::KernelReport& hardware);

/// The same for many launches. A kernel's launches are matched in order. Hardware may have each several times in a row,
/// of which the first counts. Returns how many of `emulated` found a partner.
size_t join_hardware(const std::vector<report::KernelReport*>& emulated,
                     const std::vector<const report::KernelReport*>& hardware);

}  // namespace warplens::counters
