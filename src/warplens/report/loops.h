// Loops of machine code that count their turns, and the instructions that the same code without a loop would not have.
#pragma once
#include <vector>

#include "warplens/run/sass/program.h"

namespace warplens::report {

/// First instruction of the loop that ends with the branch back at `branch`; `branch` itself if there is none.
size_t begin_of_loop(const simt::sass_machine::Program& program, size_t branch);

/// For each instruction: its kind without loops.
struct LoopOverhead {
  std::vector<bool> spared;  // not there
  std::vector<bool> joined;  // a load of a word of shared memory for all lanes: with the next turns' in one load
};

/// Loops whose branch compares a counter with a loop-invariant value. Unrolling removes the branch and such
/// comparisons, additions of the same value to a register each turn, and moves between registers. It also removes sums
/// of counters and invariant values that only serve as addresses. They become constants, offsets of addresses, and
/// other names of registers.
LoopOverhead loop_overhead(const simt::sass_machine::Program& program);

}  // namespace warplens::report
