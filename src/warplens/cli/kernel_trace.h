// `warplens kernel --trace`: the launches as a timeline that viewers and the other verbs read.
#pragma once
#include "warplens/cli/verb.h"
#include "warplens/launch/run.h"

namespace warplens::cli {

/// Writes the file of --trace in Chrome's format, with the launches one after another on a stream. On a GPU these are
/// all timed runs, else each launch once with its modelled time. Does nothing without the flag.
Status write_kernel_trace(const Invocation& invocation, const launch::RunResult& result);

}  // namespace warplens::cli
