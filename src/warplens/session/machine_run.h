// A launch of a kernel's machine code: its setup and its results.
#pragma once
#include "warplens/run/sass/machine.h"
#include "warplens/session/run.h"

namespace warplens::session {

/// As `launch` requests, on the module's memory. Errors: this processor cannot run machine code; the GPU refuses the
/// launch, by its limits.
Result<simt::sass_machine::MachineLaunch> set_up(Kernel& kernel, const simt::Launch& launch, const gpu::Device& device,
                                                 const Wanted& wanted);

/// Runs it to its end. Errors: of the request.
Result<Outcome> run_machine_code(Kernel& kernel, const simt::Launch& launch, const Wanted& wanted);

/// Its counts become part of a report that has begun.
void add_counts(Kernel& kernel, const simt::sass_machine::MachineCounts& counts, const CountOptions& options,
                bool cooperative, report::KernelReport* report);

/// Parameters as PTX places them, from how machine code does.
std::vector<uint8_t> ptx_parameters(const Kernel& kernel, const std::vector<uint8_t>& block);

}  // namespace warplens::session
