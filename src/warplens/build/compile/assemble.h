// PTX to cubin: ptxas, or libnvJitLink where there is no ptxas.
#pragma once
#include <string>
#include <vector>

#include "warplens/base/status.h"

namespace warplens::compile {

struct Assembled {
  std::string cubin;
  std::string log;  // what `-v` prints, when asked for
};

/// `arch` is "sm_90" or "sm_90a"; options are ptxas's ("-O1", "-v", "-maxrregcount=32"). Cached as `compile` is.
/// The error is the assembler's output, or says that there is none and what to install.
Result<Assembled> assemble(const std::string& ptx, const std::string& arch,
                           const std::vector<std::string>& options = {});

}  // namespace warplens::compile
