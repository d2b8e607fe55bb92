// A kernel case without a GPU: counted, checked and bounded, not timed.
#pragma once
#include "warplens/bench/results/results.h"
#include "warplens/bench/suite/kernel_case.h"
#include "warplens/launch/machine.h"

namespace warplens::bench {

/// The emulated GPU. An empty `arch` is that of `device`, else the case's, else sm_90. Without a device, bounds and
/// estimates are for the best known one of the architecture.
struct EmulatedGpu {
  std::string arch;
  const gpu::Device* device = nullptr;
};

/// Runs the case's launches once in the emulator. The result has counters, checks and a bound, and no times.
/// `outcomes`, if given, gets the outcome of each launch.
Result<Measurement> run_emulated(const KernelCase& kernel_case, const EmulatedGpu& as,
                                 std::vector<launch::Outcome>* outcomes = nullptr);

}  // namespace warplens::bench
