// `warplens kernel --trace`: the launches as a timeline that viewers and the other verbs read.
#pragma once
#include "warplens/cli/verb.h"
#include "warplens/launch/run.h"

namespace warplens::cli {

/// Writes what --trace names, in Chrome's format: launches one after another on a stream, every timed run on a GPU,
/// else each once with its modelled time. Nothing without the flag.
Status write_kernel_trace(const Invocation& invocation, const launch::RunResult& result);

}  // namespace warplens::cli
