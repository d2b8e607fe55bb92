// Runs the machine code of a launch to count it.
#pragma once
#include "warplens/report/machine_report.h"
#include "warplens/run/sass/machine.h"
#include "warplens/session/module.h"

namespace warplens::session {

/// A kernel of the module's cubin, whose variables are those of its PTX.
Result<simt::sass_machine::Program> load_machine_code(Module& module, const std::string& kernel);

/// Runs it once on the launch's memory. KernelReport::has_results says whether what the launch leaves is there now,
/// which it is only with `keep_results`; if not, memory is as it was. The report says in `why_adjusted` where the
/// machine code could not be run: then only resources are filled in.
report::KernelReport run_machine_code(Module& module, const std::string& kernel, const simt::Launch& launch,
                                      const report::ReportOptions& options, bool keep_results);

}  // namespace warplens::session
