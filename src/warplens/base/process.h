// Child processes whose output is wanted.
#pragma once
#include <string>
#include <vector>

#include "warplens/base/status.h"

namespace warplens {

struct ProcessOutput {
  int exit_code = 0;   // 128 + the signal when one ended it
  std::string output;  // standard output and standard error together
};

/// Runs `command` (its first item is looked for in PATH) to its end, with standard input empty.
/// The error says that it could not be started.
Result<ProcessOutput> run_process(const std::vector<std::string>& command);

/// The full path of `program` in PATH, or "" when there is none.
std::string find_program(const std::string& program);

}  // namespace warplens
