// From a file or folder to a report.
#pragma once
#include <string>
#include <vector>

#include "warplens/base/status.h"
#include "warplens/inspect/report.h"

namespace warplens::inspect {

struct Options {
  std::string arch;                        // for .cu and for assembling PTX; empty: sm_90, or what the PTX targets
  std::vector<std::string> compiler = {};  // options of the compiler
  bool assemble = true;                    // make SASS of PTX where there is an assembler
};

/// A .cu, .ptx or cubin file, told by content ("-" is not taken), or a folder with a .ptx, .cubin and .json of one
/// kernel, as Triton's cache has it. Errors: unreadable, no such kind, what the compiler or parser says.
Result<Report> load(const std::string& path, const Options& options);

}  // namespace warplens::inspect
