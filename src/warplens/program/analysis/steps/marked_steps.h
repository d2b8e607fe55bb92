// Steps that the program marks itself, by ranges of its own or by calls of its outermost module.
#pragma once
#include <cstdint>
#include <vector>

#include "warplens/program/analysis/steps/steps.h"

namespace warplens::analysis {

/// Of the ranges that a rank opens again and again, those around passes of its loop: they do not overlap, and hold most
/// of the work up to the next one. Ranges around a part of the loop (a forward pass, an optimizer) hold less. Where
/// such ranges lie in each other (epochs, steps, micro-batches), the ones that the weights are updated in once are
/// steps; without updates the inner ones of those that are named as steps are, else the outermost. A step lasts to the
/// next one's begin, so that what the loop does between its ranges counts. `updates_ns`: optimizer_step_ends(). None
/// where nothing qualifies.
std::vector<Step> range_steps(const Profile& profile, uint32_t rank, const std::vector<int64_t>& updates_ns);

/// The same of calls of the outermost module: passes of inference.
std::vector<Step> module_steps(const Profile& profile, uint32_t rank);

}  // namespace warplens::analysis
