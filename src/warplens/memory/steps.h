// Where the steps of a program end among the events of its memory.
#pragma once
#include <string>
#include <vector>

#include "warplens/memory/snapshot.h"

namespace warplens::memory {

struct Steps {
  std::vector<size_t> ends;  // of each step, the number of the first event after it, rising; the last is the total
  std::string end_at;        // "the end of Optimizer.step#AdamW.step"
};

/// Two steps or more; empty if neither annotations nor stacks mark steps. Annotations come first: torch.profiler's
/// steps, then an optimizer's. Otherwise, the outermost function whose lines differ marks them: its line goes back when
/// a loop, or a caller, begins it again.
Steps steps_of(const Snapshot& snapshot, int64_t device, const std::vector<Event>& events);

}  // namespace warplens::memory
