// One-time work of a process: it loads the context, libraries and kernels' code, and captures graphs.
#pragma once
#include <vector>

#include "warplens/program/findings/context.h"

namespace warplens::findings {

/// Context::cold_start(). A capture includes its preparation: synchronizing and freeing. Compiling is a long stretch
/// without calls before the first launch of compiled code (TorchScript, Triton, NVRTC). A call counts if it takes
/// kSlowCallNs or more, most of it while no device works. It must also be the first launch of a kernel of that name, or
/// far slower than other calls of its name.
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
