// A warp's instructions, in stretches from one place where lanes part or meet to the next.
#pragma once
#include <vector>

#include "warplens/run/sass/lane_pattern.h"
#include "warplens/run/sass/run.h"

namespace warplens::simt::sass_machine {

inline constexpr uint64_t kTurn = 20000;  // instructions before another warp or split gets its turn

/// Says where in the launch the warp that runs has come to `stop`.
void place_stop(const Warp& w, Stop& stop);

/// The counts of one CPU thread's warps. `rows` has one more than there are ops. Until sum_tally is called, it holds
/// differences of executions and active threads, and the counts of translated code are apart from it.
struct Tally {
  std::vector<simt::InstructionCounts> rows;
  // By Op::index; empty where the code is interpreted.
  std::vector<TakenBranch> taken;
  std::vector<SimpleRequests> simple;
  std::vector<LanePattern> patterns;  // by Op::access
  uint64_t cache_lines = 0;           // of these: see MachineCounts
};

/// Runs one warp until it waits, ends or has had its turn. False when it could not run at all.
bool run_warp(Warp& warp, const Run& run, Tally& tally);
/// Adds the requests that a pattern represents, and resets it.
void settle_pattern(const Op& op, LanePattern* pattern, simt::InstructionCounts* row);
void sum_tally(std::span<const Op> ops, Tally* tally);

/// Before and after an instruction that is not plain. The warp holds its handler's time beyond its latency.
inline __attribute__((always_inline)) void begin_step(Warp& w, const Op& op, simt::InstructionCounts* rows) {
  w.count = &rows[op.index];
  w.pc = op.index;
  w.extra_cycles = 0;
  w.line_doublings = 0;
  w.close_by = false;
}
inline __attribute__((always_inline)) void end_step(Warp& w, const Op& op, const Run& run) {
  if (op.timed) w.clock->issue(run.schedules[op.index], {w.extra_cycles, w.line_doublings, w.close_by});
}

/// An instruction that is not plain, in a counted launch: called by translated code.
void run_counted_step(Warp& warp, const Op& op);

}  // namespace warplens::simt::sass_machine
