// Kernels of replayed graphs, charged to the operators that launched them while the graph was captured.
#pragma once
#include "warplens/base/status.h"
#include "warplens/trace/profile/profile.h"

namespace warplens::analysis {

struct CapturedCharge {
  size_t replays = 0, charged = 0;          // graph launches of the profile, and those whose capture was found
  size_t kernels = 0, kernels_charged = 0;  // what they ran
};

/// Charges the work of graph launches of `replay` to the operators of `capture`, a trace of the capture of the same
/// graphs. Item n of a graph belongs to launch n of the capture. Graph launch n goes with capture n if both have the
/// same number of nodes, else with the first capture that has. If a capture has one launch more, one launch is left
/// out: the one without which most kernels contain their operator's name (Triton's). Charged operators become operators
/// of `replay` of zero length, at the graph's launch. Errors: no capture in `capture`, no graph launch in `replay`, no
/// equal counts of nodes.
Result<CapturedCharge> charge_captured(Profile& replay, const Profile& capture);

}  // namespace warplens::analysis
