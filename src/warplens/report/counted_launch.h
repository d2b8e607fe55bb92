// Runs a launch and counts it: as machine code alone where that is followed to the last bit, else with its PTX.
#pragma once
#include <optional>

#include "warplens/report/machine_report.h"

namespace warplens::report {

inline constexpr double kCountTimeout = 600;  // seconds that machine code gets where nothing else is asked for

struct CountedLaunch {
  simt::LaunchResult result;       // warp and thread instructions are of what was counted
  std::optional<KernelReport> report;  // none where the PTX was to be counted and stopped before its end
};

/// The launch is done once to who looks at memory, and `config` says how. Machine code gives its results where nothing
/// asks for the PTX: no checks, blocks in order. What stops the machine code is found again, and named, by the PTX. LaunchToCount::config and ::results are set here.
/// Errors: of the request; the cubin cannot be read.
Result<CountedLaunch> launch_counted(LaunchToCount request, simt::ptx_machine::LaunchConfig config);

}  // namespace warplens::report
