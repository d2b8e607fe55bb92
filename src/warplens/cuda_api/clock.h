// Modelled time: what a stream's clock says after the work that it was given.
#pragma once
#include "warplens/cuda_api/runtime.h"
#include "warplens/run/sass/machine.h"

namespace warplens::cuda_api {

/// Moves the clock of the stream that works now. The legacy default stream and those that wait for it take turns.
void spend(Runtime& runtime, double ns);

/// What `warplens kernel` estimates for a launch that was just run.
double launch_ns(const Runtime& runtime, Kernel& kernel, const simt::sass_machine::MachineLaunch& launch,
                 const simt::sass_machine::MachineCounts& counts);

/// A copy, by the GPU's memory where both sides are there, else by the link to the host.
double copy_ns(const Runtime& runtime, uint64_t size_bytes, bool within_device);

}  // namespace warplens::cuda_api
