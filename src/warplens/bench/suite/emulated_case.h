// A kernel case without a GPU: counted, checked and bounded, not timed.
#pragma once
#include "warplens/bench/results/results.h"
#include "warplens/bench/suite/kernel_case.h"
#include "warplens/launch/machine.h"

namespace warplens::bench {

/// Runs the case's launches once in the emulator, as `arch` ("" takes the case's, or sm_90). The result
/// has counters, checks and a bound, and no times. `outcomes`, if given, gets the outcome of each
/// launch.
Result<Measurement> run_emulated(const KernelCase& kernel_case, const std::string& arch,
                                 std::vector<launch::Outcome>* outcomes = nullptr);

}  // namespace warplens::bench
