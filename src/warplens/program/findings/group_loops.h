// Loops of the program over groups of rows: "for k in range(n): rows = (label == k).nonzero(); ..."
#pragma once
#include <vector>

#include "warplens/program/findings/context.h"

namespace warplens::findings {

/// Turns of one loop, each the outermost operators that it runs, of equal names in all.
using GroupLoop = std::vector<std::vector<uint32_t>>;

/// Loops whose every turn compares one tensor with a number that no turn before had, and waits for the rows that it
/// finds. Rows of different numbers are different ones: no turn needs another's result.
std::vector<GroupLoop> group_loops(const Context& context);

/// Adds to `change` that all turns of a loop run as one: each kernel works as long as those of all turns together, and
/// nothing waits for the rows.
void merge_turns(const Context& context, const GroupLoop& loop, Change& change);

}  // namespace warplens::findings
