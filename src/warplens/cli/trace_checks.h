// The contents of a trace, the missing data and how to record it: `warplens doctor TRACE`.
#pragma once
#include <string>

#include "warplens/output/table.h"
#include "warplens/trace/profile/profile.h"

namespace warplens::cli {

/// One line a kind of data (operators, shapes, stacks, memory, GPU, ...) with its number of rows, or how to record it.
Table recorded_data(const Profile& profile);
/// If no rule found anything: the data that the rules examined, and the data that was missing. `judged`: true if any
/// rule could run. `left_out`: findings that were left out as accepted.
std::string nothing_found(const Profile& profile, bool judged, size_t left_out);
/// One line an integrity issue, the worst first, with its advice.
Table integrity_issues(const Profile& profile);

}  // namespace warplens::cli
