// Child processes whose output is wanted.
#pragma once
#include <string>
#include <vector>

#include "warplens/base/status.h"

namespace warplens {

struct ProcessOutput {
  int exit_code = 0;         // 128 + the signal when one ended it
  std::string output;        // standard output and standard error together
  bool out_of_time = false;  // ended by the limit
};

/// Runs `command` (its first item is looked for in PATH) to its end, with standard input empty. Neither it nor a child
/// of it may use more than `cpu_limit_s` seconds of CPU time (0: no limit): the clock's would depend on what else runs.
/// The error says that it could not be started.
Result<ProcessOutput> run_process(const std::vector<std::string>& command, int cpu_limit_s = 0);

/// The full path of `program` in PATH, or "" when there is none.
std::string find_program(const std::string& program);

}  // namespace warplens
