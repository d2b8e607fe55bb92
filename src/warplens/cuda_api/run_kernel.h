// Running a kernel that was launched: its machine code, or its PTX where that is checked.
#pragma once
#include "warplens/cuda_api/runtime.h"

namespace warplens::cuda_api {

/// The number that programs get for what stopped a kernel.
Error error_of(simt::FaultKind kind);

/// Runs it to its end. The launch itself succeeds where the kernel goes wrong, as on a GPU: what it did becomes the
/// runtime's sticky error and is told on standard error. Errors: no such kernel.
Error run_kernel(Runtime& runtime, const void* function, int device, simt::Launch launch);

}  // namespace warplens::cuda_api
