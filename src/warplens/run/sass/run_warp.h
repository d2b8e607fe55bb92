// A warp's instructions, in stretches from one place where lanes part or meet to the next.
#pragma once
#include <vector>

#include "warplens/run/sass/machine.h"

namespace warplens::simt::sass_machine {

inline constexpr uint64_t kTurn = 20000;  // instructions before another warp or split gets its turn

/// Says where in the launch the warp that runs has come to `stop`.
void place_stop(const Warp& w, Stop& stop);

/// What the warps of one CPU thread count. `rows` has one more than there are ops; executions and active threads stand
/// in it as differences, and branches of translated code beside it, until sum_stretches is called.
struct Tally {
  std::vector<simt::InstructionCounts> rows;
  std::vector<TakenBranch> taken;  // by Op::index; empty where the code is interpreted
};

/// Runs one warp until it waits, ends or has had its turn. False when it could not run at all.
bool run_warp(Warp& warp, const Run& run, Tally& tally);
void sum_stretches(std::span<const Op> ops, Tally* tally);

/// An instruction that is not plain, in a launch that is counted: what translated code calls.
void run_counted_step(Warp& warp, const Op& op);

}  // namespace warplens::simt::sass_machine
