// Running a program with the recorder injected, and what the recorder said of it.
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
  std::vector<std::string> notes;     // what the recorder could not do beside recording
  std::vector<std::string> stops;     // recordings that ended early, as "file: why"
};

/// Runs the invocation's program with `variables` added to its environment; its input and outputs are this program's,
/// but what it prints goes to standard error where scripts read a report on standard output. The error says that it
/// could not be started.
Result<RecordedProgram> run_recorded(const Invocation& invocation,
                                     const std::vector<std::pair<std::string, std::string>>& variables);

/// Whether NVIDIA's driver can be loaded here.
bool has_driver();

/// What is told of a program of which there is no file: "did not use CUDA", or how it ended before it did.
std::string without_cuda(const RecordedProgram& program);

/// The file `given` that a program's processes are to write, or a pattern that each fills in, as an absolute path: the
/// program may change folders. What an earlier run left in the file is gone.
Result<std::string> output_for_program(const std::string& given, bool overwrite);

/// libwarplens_collect.so beside this program or in its ../lib.
Result<std::string> find_injected_library();

}  // namespace warplens::cli
