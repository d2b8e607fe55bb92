// One kernel case timed on a GPU, in every requested regime.
#pragma once
#include "warplens/bench/gpu/gpu_timer.h"
#include "warplens/bench/suite/kernel_bench.h"

namespace warplens::bench {

/// Adds a measurement a regime to `out`. `work` is the case's, loaded.
Status time_case(const KernelCase& kernel_case, const Work& work, GpuTimer& timer, const Ceilings& ceilings,
                 const KernelBenchOptions& options, Results& out);

}  // namespace warplens::bench
