// From a file or folder to a report.
#pragma once
#include <string>
#include <vector>

#include "warplens/base/status.h"
#include "warplens/inspect/report.h"

namespace warplens::inspect {

struct Options {
  std::string
      arch;  // for .cu and for assembling PTX, or of the image to show; empty: sm_90, the PTX's target, the newest
  std::vector<std::string> compiler = {};  // options of the compiler
  bool assemble = true;                    // make SASS of PTX where there is an assembler
};

/// Reads a .cu, .ptx or cubin file (not "-"), a fat binary, or a program, library or object file that has one. A folder
/// may hold a .ptx, .cubin and .json of one kernel, as in Triton's cache. The kind follows from the content. Errors:
/// unreadable, unknown kind, those of the compiler or parser.
Result<Report> load(const std::string& path, const Options& options);

}  // namespace warplens::inspect
