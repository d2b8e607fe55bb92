// What recording itself cost the host: PyTorch's profiler slows every operator, call and Python frame it records.
#pragma once
#include "warplens/program/analysis/forest.h"
#include "warplens/trace/profile/profile.h"

namespace warplens::analysis {

/// Host time that the profiler added, by what it recorded.
struct ProfilerCost {
  double per_operator_ns = 0;
  double per_call_ns = 0;
  double per_frame_ns = 0;
};

/// Of a recording by warplens, operators and calls of modules (frames) cost what the recorder measured in that process.
/// Otherwise measured in the trace itself, so that it follows the machine's speed and the profiler's options:
/// - an operator that only hands over to its single child shows what entering a recorded operator takes; leaving one
///   takes as long again, so an operator costs kEnterAndLeave times the median of that gap;
/// - of a recorded launch, kCallShare is the recording (CUPTI's callbacks at its two ends); every call costs as much,
///   within its recorded length or after it.
/// The factors are fitted to launch-bound programs timed with and without the profiler (docs/findings.md).
ProfilerCost measure_profiler_cost(const Profile& profile, const Forest& operators, uint32_t rank);

}  // namespace warplens::analysis
