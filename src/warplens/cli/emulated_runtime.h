// The emulated CUDA runtime beside the program, and starting programs that use it.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "warplens/base/status.h"
#include "warplens/cli/verb.h"
#include "warplens/report/program_log.h"

namespace warplens::cli {

/// The library's path: beside this program in a build, under lib/ once installed. The error lists the places that were
/// searched.
Result<std::string> emulated_runtime();

using EmulatedVariables = std::vector<std::pair<std::string, std::string>>;

struct EmulatedProgram {
  std::string path;
  EmulatedVariables variables;  // of its environment
};
/// The program after --, on the GPU that --device and the flags below name. Errors: no such program, a statically
/// linked runtime that cannot be replaced, no such GPU.
Result<EmulatedProgram> emulated_program(const Invocation& invocation);

/// Flags of every verb that emulates programs. `condition` precedes their descriptions: "with --emulate: ".
Flag devices_flag(const std::string& condition = {});
Flag budget_flag(const std::string& condition = {});
Flag sample_flag(const std::string& condition = {});

/// The records that an emulated program wrote, process by process.
struct EmulatedRun {
  int exit_code = 0;  // the program's
  int signal = 0;     // that ended it; 0: it ended itself
  std::vector<report::ProgramLog> processes;
};
/// Runs the program after -- to its end. `more`: further settings of the runtime, as in collect::EmulationSettings.
Result<EmulatedRun> run_emulated(const Invocation& invocation, const EmulatedVariables& more);

/// Makes this process `program`, with `words` as its argv. Returns only where that fails.
Status become(const std::string& program, const std::vector<std::string>& words);

}  // namespace warplens::cli
