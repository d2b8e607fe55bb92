// Runs a kernel that is there as machine code alone.
#pragma once
#include "warplens/session/run.h"

namespace warplens::session {

/// The launch is done, and counted. What stops the kernel is the result's fault. Errors: of the request; --check, which
/// needs PTX.
Result<CountedLaunch> run_code(Module& module, const std::string& kernel, const simt::Launch& launch,
                               const CountOptions& options);

}  // namespace warplens::session
