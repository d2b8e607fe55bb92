// Sums in machine code: chains of additions that continue each other, within a turn of a loop or from turn to turn.
#pragma once
#include <functional>
#include <vector>

#include "warplens/report/shapes/flow.h"

namespace warplens::report {

/// The additions of one accumulator.
struct Sum {
  std::vector<size_t> terms;     // instructions, in their order
  LoopRange loop;                // innermost about them
  bool carried = false;          // it continues in the loop's next turn
  std::vector<LoopRange> about;  // loops that carry it, innermost first; empty where none does
};

/// Which register of an instruction goes on the sum; kNoTerm: it is not a term.
inline constexpr uint32_t kNoTerm = ~0u;
using TermOf = std::function<uint32_t(size_t k)>;

/// Every sum whose terms `term_of` knows.
std::vector<Sum> find_sums(const Flow& flow, size_t instructions, const TermOf& term_of);

/// Threads that leave the loop, summed over the launch.
uint64_t leaving(const LoopRange& loop, const simt::sass_machine::MachineCounts& counts);

}  // namespace warplens::report
