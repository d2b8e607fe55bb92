// Kernels of replayed graphs, charged to the operators that launched them while the graph was captured.
#pragma once
#include "warplens/base/status.h"
#include "warplens/trace/profile/profile.h"

namespace warplens::analysis {

struct CapturedCharge {
  size_t replays = 0, charged = 0;          // graph launches of the profile, and those whose capture was found
  size_t kernels = 0, kernels_charged = 0;  // what they ran
};

/// Charges what graph launches of `replay` ran to the operators of `capture`, a trace of the capture of the same
/// graphs: the n-th thing that a graph runs is what the n-th launch between beginning and end of the capture put into
/// it. The n-th graph launch goes with the n-th capture where both have as many nodes, else with the first capture that
/// has; of a capture with one launch more that one is left out without which most kernels have their operator's name
/// (Triton's). Operators that are charged become operators of `replay` without length, at the time of the graph's
/// launch. Errors: no capture in `capture`, no graph launch in `replay`, none of the counts of nodes agree.
Result<CapturedCharge> charge_captured(Profile& replay, const Profile& capture);

}  // namespace warplens::analysis
