// The host cost of recording itself: PyTorch's profiler slows every operator, call and Python frame that it records.
#pragma once
#include "warplens/program/analysis/forest.h"
#include "warplens/trace/profile/profile.h"

namespace warplens::analysis {

/// Host time that the profiler added, by the kind of event.
struct ProfilerCost {
  double per_operator_ns = 0;
  double per_call_ns = 0;
  double per_frame_ns = 0;
  bool measured = false;  // by the recorder, in the recorded process
};

/// For a recording by warplens, operators and module calls (frames) cost as much as the recorder measured in that
/// process. Otherwise the trace itself gives the cost, so it follows the machine's speed and the profiler's options:
/// - an operator that only calls its single child shows the cost of entering a recorded operator. Leaving one takes as
///   long again, so an operator costs kEnterAndLeave times the median of that gap;
/// - kCallShare of a recorded launch is the recording (CUPTI's callbacks at its two ends); every call costs as much,
///   within its recorded length or after it.
/// The factors are fitted to launch-bound programs timed with and without the profiler (docs/findings.md).
ProfilerCost measure_profiler_cost(const Profile& profile, const Forest& operators, uint32_t rank);

}  // namespace warplens::analysis
