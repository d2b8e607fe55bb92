// What a trace carries, what it lacks and how to record it: `warplens doctor TRACE`.
#pragma once
#include "warplens/output/table.h"
#include "warplens/trace/profile/profile.h"

namespace warplens::cli {

/// One line a kind of data (operators, shapes, stacks, memory, GPU, ...) with its number of rows, or how to record it.
Table recorded_data(const Profile& profile);
/// One line an integrity issue, the worst first, with its advice.
Table integrity_issues(const Profile& profile);

}  // namespace warplens::cli
