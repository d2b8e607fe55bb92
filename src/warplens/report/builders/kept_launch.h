// A launch's counts as one line of JSON, from which its time and findings follow again without running it.
#pragma once
#include <string>

#include "warplens/base/status.h"
#include "warplens/report/report.h"

namespace warplens::report {

/// Leaves out members that are zero, and derived ones: metrics, time, roofline, findings. Source files keep their
/// names, without their folders.
std::string kept_launch(const KernelReport& report);

struct KeptLaunch {
  KernelReport report;     // time, roofline and findings included, on the device that it was kept for
  double measured_ns = 0;  // Nsight Compute's duration of the launch; 0: not measured
};

/// Errors: no JSON object; a member of another type; an unknown device or member.
Result<KeptLaunch> read_kept_launch(std::string_view line);

}  // namespace warplens::report
