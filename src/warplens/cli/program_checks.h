// A whole program under --check.
#pragma once
#include "warplens/cli/verb.h"

namespace warplens::cli {

/// Runs Invocation::command emulated and reports the defects that --check finds, on standard error unless --output or
/// --format is given. Returns the program's exit code. If that is 0: 4 with defects, 1 if not everything was checked.
Result<int> check_program(const Invocation& invocation);

}  // namespace warplens::cli
