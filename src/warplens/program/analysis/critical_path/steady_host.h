// Host work as it is in a program that runs on and on, rather than in the few steps after a profiler started.
#pragma once
#include "warplens/program/analysis/critical_path/program.h"

namespace warplens::analysis {

/// A trace holds few steps, the first of them with cold caches. Where all steps make the same calls, each step's host
/// work is scaled to that of the lower median of the steps: of two the faster one. Stretches of half a millisecond or
/// more stay as recorded: they are no launches but loading, waiting or Python.
void take_steady_host(const std::vector<Step>& steps, Program& program);

}  // namespace warplens::analysis
