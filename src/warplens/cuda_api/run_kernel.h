// Running a kernel that was launched: its machine code, or its PTX where that is checked.
#pragma once
#include "warplens/cuda_api/runtime.h"

namespace warplens::cuda_api {

/// The error number that programs get for a fault of a kernel.
Error error_of(simt::FaultKind kind);

/// Runs it to its end. If the kernel faults, the launch itself succeeds, as on a GPU: the fault becomes the runtime's
/// sticky error and is reported on standard error. Error: no such kernel.
Error run_kernel(Runtime& runtime, const void* function, int device, simt::Launch launch);

}  // namespace warplens::cuda_api
