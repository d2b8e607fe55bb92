// A fusion on a machine without a GPU: both forms run in the emulator and are checked.
#pragma once
#include "warplens/bench/results/results.h"
#include "warplens/fuse/plan.h"

namespace warplens::fuse {

/// Runs the fused kernel and the chain on the same inputs, drawn with `seed`, and compares both with float64 and with
/// each other. One measurement each: counters, bytes, bound, checks; no times.
Result<std::vector<bench::Measurement>> run_fusion_emulated(const FusionPlan& plan, const std::string& arch,
                                                            uint64_t seed);

}  // namespace warplens::fuse
