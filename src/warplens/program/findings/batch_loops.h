// Loops of the program over a batch: "for x in batch: out.append(model(x))" or "for i in range(n):
// best[i].argmax().item()"
#pragma once
#include <vector>

#include "warplens/program/findings/turns.h"

namespace warplens::findings {

/// A loop whose every turn runs the same operators on the next slice of a tensor. No turn needs anything of another
/// one. Their results come together, or the host reads them. Context::batch_loops() has those of the rank.
struct BatchLoop {
  Turns turns;
  bool waits = false;  // the host reads something of each turn
};

/// Adds to `change` that the first turn does the work of all. The host still waits where this turn does.
void run_as_batch(const Context& context, const BatchLoop& loop, Change& change);

}  // namespace warplens::findings
