// A whole program under --check.
#pragma once
#include "warplens/cli/verb.h"

namespace warplens::cli {

/// Runs Invocation::command emulated and tells what --check finds, on standard error unless --output or --format says
/// otherwise. The program's exit code, or where that is 0: 4 with defects, 1 where not all was checked.
Result<int> check_program(const Invocation& invocation);

}  // namespace warplens::cli
