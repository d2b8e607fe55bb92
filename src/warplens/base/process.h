// Child processes whose output is captured.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "warplens/base/status.h"

namespace warplens {

struct ProcessOutput {
  int exit_code = 0;         // 128 + the signal when one ended it
  std::string output;        // standard output and standard error together, or what the work gave
  bool out_of_time = false;  // ended by the limit
};

/// Runs `command` to its end, with empty standard input. Its first item is searched for in PATH. The process and each
/// of its children may use at most `cpu_limit_s` seconds of CPU time (0: no limit); wall-clock time would depend on
/// other load. Error: the process could not be started.
Result<ProcessOutput> run_process(const std::vector<std::string>& command, int cpu_limit_s = 0);

/// Runs `work` in a copy of this process and gives its text: for libraries that may crash or never end. Its changes of
/// memory are lost. The limit is that of `run_process`. Error: the copy could not be made.
Result<ProcessOutput> run_copy(const std::function<std::string()>& work, int cpu_limit_s = 0);

/// The full path of `program` in PATH, or "" if it is not there.
std::string find_program(const std::string& program);

}  // namespace warplens
