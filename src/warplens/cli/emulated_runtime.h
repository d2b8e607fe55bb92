// The emulated CUDA runtime that lies beside the program, and starting programs that use it.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "warplens/base/status.h"
#include "warplens/cli/verb.h"
#include "warplens/report/program_log.h"

namespace warplens::cli {

/// The library's path: beside this program in a build, under lib/ once it is installed. The error says where it was
/// looked for.
Result<std::string> emulated_runtime();

using EmulatedVariables = std::vector<std::pair<std::string, std::string>>;

struct EmulatedProgram {
  std::string path;
  EmulatedVariables variables;  // of its environment
};
/// The program behind --, on the GPU that --device and the flags below ask for. Errors: no such program, one that
/// carries its own runtime, no such GPU.
Result<EmulatedProgram> emulated_program(const Invocation& invocation);

/// What every verb that emulates programs takes; `condition` stands before what it does: "with --emulate: ".
Flag devices_flag(const std::string& condition = {});
Flag budget_flag(const std::string& condition = {});
Flag sample_flag(const std::string& condition = {});

/// What an emulated program wrote down, process by process.
struct EmulatedRun {
  int exit_code = 0;  // the program's
  int signal = 0;     // that ended it; 0: it ended itself
  std::vector<report::ProgramLog> processes;
};
/// Runs the program behind -- to its end. `more`: what is asked of the runtime, as collect::EmulationSettings name it.
Result<EmulatedRun> run_emulated(const Invocation& invocation, const EmulatedVariables& more);

/// Makes this process `program`, with `words` as its argv. Returns only where that fails.
Status become(const std::string& program, const std::vector<std::string>& words);

}  // namespace warplens::cli
