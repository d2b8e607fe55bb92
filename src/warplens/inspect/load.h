// From a file or folder to a report.
#pragma once
#include <string>
#include <vector>

#include "warplens/base/status.h"
#include "warplens/inspect/report.h"

namespace warplens::inspect {

struct Options {
  std::string
      arch;  // for .cu and for assembling PTX, or whose image is shown; empty: sm_90, what the PTX targets, the newest
  std::vector<std::string> compiler = {};  // options of the compiler
  bool assemble = true;                    // make SASS of PTX where there is an assembler
};

/// A .cu, .ptx or cubin file, told by content ("-" is not taken), a fat binary or a program, library or object file
/// that carries some, or a folder with a .ptx, .cubin and .json of one kernel, as Triton's cache has it. Errors:
/// unreadable, no such kind, what the compiler or parser says.
Result<Report> load(const std::string& path, const Options& options);

}  // namespace warplens::inspect
