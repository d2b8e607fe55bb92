// Loops of the program over a batch: "for x in batch: out.append(model(x))" or "for i in range(n):
// best[i].argmax().item()"
#pragma once
#include <vector>

#include "warplens/program/findings/turns.h"

namespace warplens::findings {

struct BatchLoop {
  Turns turns;
  bool waits = false;  // the host reads something of each turn
};

/// Loops whose every turn runs the same operators on the next slice of a tensor. No turn needs anything of another one.
/// Their results come together, or the host reads them.
std::vector<BatchLoop> batch_loops(const Context& context);

/// Adds to `change` that the first turn does the work of all. The host still waits where this turn does.
void run_as_batch(const Context& context, const BatchLoop& loop, Change& change);

}  // namespace warplens::findings
