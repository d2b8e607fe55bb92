// A whole program under --check.
#pragma once
#include "warplens/cli/verb.h"

namespace warplens::cli {

/// Runs Invocation::command emulated and tells what --check finds, on standard error unless --output or --format says
/// otherwise. The program's exit code, or 1 where that is 0 and there are defects, or not all was checked.
Result<int> check_program(const Invocation& invocation);

}  // namespace warplens::cli
