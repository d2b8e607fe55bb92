// The prompt of `warplens query --shell`.
#pragma once
#include "warplens/base/status.h"
#include "warplens/cli/profile_report.h"
#include "warplens/cli/verb.h"
#include "warplens/query/sql/session.h"

namespace warplens::cli {

/// Reads statements from standard input until it ends, and prints what they give. On a terminal it has a prompt,
/// editing and a history, which stays in a file that only its user can read. Errors are printed; the exit code is 1
/// where a statement that no person typed failed. `report` says what the profile lacks, before the first answer and in
/// each one in JSON.
Result<int> run_query_shell(const Invocation& invocation, const ProfileReport& report, query::Session& session,
                            const query::Limits& limits);

}  // namespace warplens::cli
