// A warp's instructions, in stretches from one place where lanes part or meet to the next.
#pragma once
#include <vector>

#include "warplens/run/sass/machine.h"

namespace warplens::simt::sass_machine {

inline constexpr uint64_t kTurn = 20000;  // instructions before another warp or split gets its turn

/// Says where in the launch the warp that runs has come to `stop`.
void place_stop(const Warp& w, Stop& stop);

/// Runs one warp until it waits, ends or has had its turn. False when it could not run at all. `counts` has one row
/// more than there are ops; executions and active threads stand in it as differences until sum_stretches is called.
bool run_warp(Warp& warp, const Run& run, std::vector<simt::InstructionCounts>& counts);
void sum_stretches(std::span<const Op> ops, std::vector<simt::InstructionCounts>* rows);

}  // namespace warplens::simt::sass_machine
