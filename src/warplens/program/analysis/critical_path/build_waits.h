// Waits: blocking calls, and events of one stream that wait for another's.
#pragma once
#include "warplens/program/analysis/call_role.h"
#include "warplens/program/analysis/critical_path/program.h"

namespace warplens::analysis {

/// Fills waits of calls and events. CUPTI's synchronization records name the exact object of a wait. Without them it is
/// inferred: a wait is only assumed if the recorded times agree with it.
void add_waits(const Profile& profile, const Links& links, CallRoles& roles, Program& program);

}  // namespace warplens::analysis
