// Loops of machine code that count their turns, and what of them the same code without a loop would not have.
#pragma once
#include <vector>

#include "warplens/run/sass/program.h"

namespace warplens::report {

/// First instruction of the loop that ends with the branch back at `branch`; `branch` itself where there is none.
size_t begin_of_loop(const simt::sass_machine::Program& program, size_t branch);

/// Of each instruction: what it would be without loops.
struct LoopOverhead {
  std::vector<bool> spared;  // not there
  std::vector<bool> joined;  // a load of a word of shared memory for all lanes: with the next turns' in one load
};

/// In loops whose branch compares a counter with what the loop does not change, these are spared: the branch and such
/// comparisons, additions of the same to a register each turn, moves between registers, and sums of counters and of
/// what does not change that only serve as addresses. Unrolled, they are constants, offsets of addresses, and other
/// names of registers.
LoopOverhead loop_overhead(const simt::sass_machine::Program& program);

}  // namespace warplens::report
