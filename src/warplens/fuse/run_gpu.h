// A fusion on a GPU: both forms checked, tuned, timed and compared.
#pragma once
#include "warplens/bench/gpu/gpu_timer.h"
#include "warplens/bench/harness/measure.h"
#include "warplens/bench/results/results.h"
#include "warplens/fuse/plan.h"

namespace warplens::fuse {

struct FusionTiming {
  bench::Measurement fused, chain, copy;  // copy: as many bytes as the fused kernel moves, device to device
  bench::Comparison comparison;           // of the chain with the fused kernel
  GeneratedKernel tuned;                  // the fused kernel that was timed
};

struct FusionTimingOptions {
  bool tune = true;
  uint64_t seed = 0;
  double target = 0.01, limit_seconds = 1;
};

Result<FusionTiming> run_fusion_on_gpu(const FusionPlan& plan, bench::GpuTimer& timer,
                                       const FusionTimingOptions& options);

}  // namespace warplens::fuse
