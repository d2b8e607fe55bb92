// Host work of a program in steady state, rather than in the few steps after a profiler started.
#pragma once
#include "warplens/program/analysis/critical_path/program.h"

namespace warplens::analysis {

/// A trace holds few steps, the first of them with cold caches. If all steps make the same calls, each step's host work
/// is scaled to the lower median of the steps (the faster of two). Stretches of half a millisecond or more stay as
/// recorded, because they are loading, waiting or Python rather than launches.
void take_steady_host(const std::vector<Step>& steps, Program& program);

}  // namespace warplens::analysis
