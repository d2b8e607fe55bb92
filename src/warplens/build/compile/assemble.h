// PTX to cubin: ptxas, or libnvJitLink where there is no ptxas.
#pragma once
#include <string>
#include <vector>

#include "warplens/base/status.h"

namespace warplens::compile {

struct Assembled {
  std::string cubin;
  std::string log;  // the output of `-v`, if requested
};

/// `arch` is "sm_90" or "sm_90a"; options are ptxas's ("-O1", "-v", "-maxrregcount=32"). Cached as `compile` is. The
/// error is the assembler's output, or names the package to install.
Result<Assembled> assemble(const std::string& ptx, const std::string& arch,
                           const std::vector<std::string>& options = {});

struct LinkInput {
  enum class Kind {
    kCubin = 1,
    kPtx = 2,
    kFatbin = 4,
    kObject = 5,
    kLibrary = 6
  };  // as nvJitLinkInputType numbers them
  Kind kind = Kind::kPtx;
  std::string bytes;
  std::string name;  // for the linker's messages
};
/// Links several images into one cubin, with the linker's output as the log. Errors: neither libnvJitLink nor nvlink is
/// installed; a name is missing or defined twice.
Result<Assembled> link(const std::vector<LinkInput>& inputs, const std::string& arch);

enum class LtoFile { kFatbin = 4, kObject = 5, kLibrary = 6 };  // as nvJitLinkInputType numbers them

/// Links the code that nvcc -dlto left in a file into one cubin. Errors: no libnvJitLink, or its
/// messages.
Result<Assembled> link_lto(const std::string& file, LtoFile kind, const std::string& arch);

}  // namespace warplens::compile
