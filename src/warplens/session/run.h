// Runs a launch and counts it: as machine code alone where that is followed to the last bit, else with its PTX.
#pragma once
#include <optional>

#include "warplens/report/machine_report.h"
#include "warplens/session/module.h"

namespace warplens::session {

struct CountOptions : report::ReportOptions {
  double timeout_s = 0;  // of running the machine code; 0: none
};
inline constexpr double kCountTimeout = 600;  // where nothing else is asked for

struct CountedLaunch {
  simt::LaunchResult result;                   // warp and thread instructions are of what was counted
  std::optional<report::KernelReport> report;  // none where the PTX was to be counted and stopped before its end
};

/// The launch is done once to who looks at memory, and `launch` says how. Machine code gives its results where nothing
/// asks for the PTX: no checks, blocks in order. What stops the machine code is found again, and named, by the PTX.
/// Errors: of the request.
Result<CountedLaunch> run_counted(Module& module, const std::string& kernel, simt::Launch launch,
                                  const CountOptions& options);

}  // namespace warplens::session
