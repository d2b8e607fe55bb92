// The prompt of `warplens query --shell`.
#pragma once
#include "warplens/base/status.h"
#include "warplens/cli/profile_report.h"
#include "warplens/cli/verb.h"
#include "warplens/query/sql/session.h"

namespace warplens::cli {

/// Reads statements from standard input until it ends, and prints their results. A terminal gets a prompt, editing
/// and a history, in a file that only its owner can read. Errors are printed; the exit code is 1 if a statement
/// that nobody typed failed. `report` gives the profile's integrity, before the first answer and in each JSON
/// answer.
Result<int> run_query_shell(const Invocation& invocation, const ProfileReport& report, query::Session& session,
                            const query::Limits& limits);

}  // namespace warplens::cli
