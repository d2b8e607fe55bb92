// Steps that the program marks itself, by its own ranges or by calls of its outermost module.
#pragma once
#include <cstdint>
#include <vector>

#include "warplens/program/analysis/steps/steps.h"

namespace warplens::analysis {

/// Finds the ranges around passes of a rank's loop: they repeat, do not overlap, and hold most of the work up
/// to the next one. Ranges around a part of the loop (a forward pass, an optimizer) hold less. Such ranges may
/// be nested (epochs, steps, micro-batches). Then steps are those with one update of the weights. Without
/// updates, they are the inner ones of those with a step-like name, else the outermost. A step lasts to the
/// next one's begin, so work between the ranges counts. `updates_ns`: optimizer_step_ends(). None if nothing
/// qualifies.
std::vector<Step> range_steps(const Profile& profile, uint32_t rank, const std::vector<int64_t>& updates_ns);

/// The same of calls of the outermost module, or of several that take turns: passes of inference.
std::vector<Step> module_steps(const Profile& profile, uint32_t rank);

}  // namespace warplens::analysis
