// Loops of the program over groups of rows: "for k in range(n): rows = (label == k).nonzero(); ..." or
// "rows = torch.where(mask[k]); ..."
#pragma once
#include <vector>

#include "warplens/program/findings/turns.h"

namespace warplens::findings {

/// Loops whose every turn compares one tensor with a new number, or takes the next of several masks, and waits for the
/// matching rows. Different numbers match different rows, so no turn needs another's result.
std::vector<Turns> group_loops(const Context& context);

/// Adds to `change` that all turns of a loop run as one, and so does the backward pass of their operators. Each kernel
/// takes the time of all turns together, or of one where each turn reads all the `shared` elements.
void join_turns(const Context& context, const Turns& loop, int64_t shared, Change& change);

/// The same for groups of rows. Nothing waits for the rows.
void merge_turns(const Context& context, const Turns& loop, Change& change);

}  // namespace warplens::findings
