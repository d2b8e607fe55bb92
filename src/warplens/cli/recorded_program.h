// Runs a program with the recorder injected, and returns the recorder's messages.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "warplens/base/status.h"
#include "warplens/cli/verb.h"

namespace warplens::cli {

struct RecordedProgram {
  bool emulated = false;              // it ran on a GPU that is not there
  int exit_code = 0;                  // the program's own; 128 + the signal that ended it
  int signal = 0;                     // that ended it; 0: it ended itself
  std::vector<std::string> files;     // in the order they were begun
  std::vector<std::string> refusals;  // processes that used CUDA and could not be recorded, each once
  std::vector<std::string> notes;     // tasks that the recorder could not do beside recording
  std::vector<std::string> stops;     // recordings that ended early, as "file: why"
};

/// Runs the invocation's program with `variables` added to its environment. It has this program's input and outputs. If
/// scripts read a report on standard output, its output goes to standard error. Error: the program could not be
/// started.
Result<RecordedProgram> run_recorded(const Invocation& invocation,
                                     const std::vector<std::pair<std::string, std::string>>& variables);

/// Whether NVIDIA's driver can be loaded here.
bool has_driver();

/// The message if a program left no file: "did not use CUDA", or how it ended before it did.
std::string without_cuda(const RecordedProgram& program);

/// The file `given` that a program's processes will write, or a pattern that each process fills in. The path is
/// absolute, because the program may change folders. Removes the file of an earlier run.
Result<std::string> output_for_program(const std::string& given, bool overwrite);

/// libwarplens_collect.so beside this program or in its ../lib.
Result<std::string> find_injected_library();

}  // namespace warplens::cli
