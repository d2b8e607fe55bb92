// A whole program under --check.
#pragma once
#include "warplens/cli/verb.h"

namespace warplens::cli {

/// Runs Invocation::command emulated and prints what --check finds. The program's exit code, or 1 where that is 0 and
/// there are defects.
Result<int> check_program(const Invocation& invocation);

}  // namespace warplens::cli
