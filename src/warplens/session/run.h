// Running a launch: what launch files, Python and the C interface do with a kernel.
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
  std::optional<report::KernelReport> report;  // none where nothing was to be counted, or it stopped before its end
};

/// The launch is done once to who looks at memory, and `launch` says how; `counting`, nullptr for results alone, asks
/// for a report. With PTX, what is counted is run as machine code where that is followed to the last bit and nothing
/// asks for the PTX: no checks, blocks in order. What stops the machine code then is found again, and named, by the
/// PTX. A module of machine code alone runs that. Errors: of the request.
Result<CountedLaunch> run(Module& module, const std::string& kernel, simt::Launch launch, const CountOptions* counting);

}  // namespace warplens::session
