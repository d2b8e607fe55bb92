#pragma once

#include <string>
#include <vector>

namespace warplens::cli {

/// Words for nvcc without the architectures that it no longer knows.
struct NewerWords {
  std::vector<std::string> words;
  std::vector<std::string> dropped;  ///< "sm_20", "compute_30": each once
};

/// `known` is the output of `nvcc --list-gpu-arch`: compute_75, compute_80 and so on. If no other architecture is left,
/// the words end with -arch=sm_90, which runs on the default GPU of `warplens emulate`.
NewerWords without_old_architectures(const std::vector<std::string>& words, const std::string& known);

}  // namespace warplens::cli
