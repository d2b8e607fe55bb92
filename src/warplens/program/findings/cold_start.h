// What happens once in a process: the context, libraries and kernels' code are loaded, graphs captured.
#pragma once
#include <vector>

#include "warplens/program/findings/context.h"

namespace warplens::findings {

/// Context::cold_start(). A capture counts with the synchronizing and freeing that prepares it. Compiling is a long
/// stretch without calls before the first launch of what a compiler made (TorchScript, Triton, NVRTC). A call counts
/// where it takes kSlowCallNs or more, most of it while no device works, and is either the first launch of a kernel of
/// that name, or far slower than other calls of its name.
struct ColdStart {
  std::vector<uint32_t> calls;     // indexes into Program::calls
  std::vector<uint32_t> captures;  // of the calls that begin a capture of a graph
  int64_t loading_ns = 0;          // of the calls
  int64_t compiling_ns = 0;
  int64_t capturing_ns = 0;  // from beginning to end of captures, and making graphs of them
  analysis::TimeSet time;    // all of that
};

inline constexpr int64_t kCompileNs = 20'000'000;
inline constexpr int64_t kSlowCallNs = 1'000'000;

}  // namespace warplens::findings
