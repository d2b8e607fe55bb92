// The blocks of a launch, dealt out to CPU threads.
#pragma once
#include <algorithm>

#include "warplens/run/sass/run.h"

namespace warplens::simt::sass_machine {

inline bool any_op(const Run& run, bool Op::* what) {
  return std::any_of(run.ops.begin(), run.ops.end(), [&](const Op& op) { return op.*what; });
}

/// One block after another on each CPU thread. Where one takes long, perhaps because it waits for others, those that a
/// GPU has resident run side by side.
void run_blocks(Run& run, const MachineLaunch& launch, MachineCounts* out);

}  // namespace warplens::simt::sass_machine
