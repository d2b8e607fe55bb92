// Launches under --check: their PTX is followed, access by access.
#pragma once
#include <string>

#include "warplens/cuda_api/runtime.h"
#include "warplens/run/sass/machine.h"

namespace warplens::cuda_api {

/// Tells of it: in the log, or on standard error where there is none.
void keep_defect(Runtime& runtime, const simt::Report& found);

/// Runs the kernel's PTX and keeps what the checks find.
Error run_checked(Runtime& runtime, Kernel& kernel, const simt::sass_machine::MachineLaunch& launch);

/// The same of its machine code, where the PTX is none to follow: prepares the launch, and says once `why`.
void check_machine_code(Runtime& runtime, Kernel& kernel, const std::string& why,
                        simt::sass_machine::MachineLaunch* launch);
/// Keeps what they found. `stopped`: what ended the launch early, if something did.
void keep_machine_reports(Runtime& runtime, const Kernel& kernel, simt::sass_machine::MachineCounts* ran,
                          const std::string& stopped);

/// The host has written, or copied from `source` (nullptr: from the host): those bytes are initialised as far as what
/// they come from is.
void mark_written(Runtime& runtime, const void* target, const void* source, size_t size_bytes);

/// Work of a library reads bytes that nothing has written. Returns whether it does, having kept that as a defect.
bool report_unwritten(Runtime& runtime, const std::string& work, const void* begin, uint64_t size_bytes);

/// A copy or fill of the host that goes past the memory that `pointer` lies in: CUDA refuses it, which programs
/// overlook.
void report_refused_copy(Runtime& runtime, const void* pointer, size_t size_bytes);

}  // namespace warplens::cuda_api
