// The input that `warplens kernel FILE` runs, and its options.
#pragma once
#include "warplens/cli/verb.h"
#include "warplens/launch/description.h"
#include "warplens/launch/run.h"

namespace warplens::cli {

/// The launches of a launch file, a suite's step, or a source with the flags of a launch.
Result<launch::Description> read_description(const Invocation& invocation);

/// An error in terms of the given flags. For a program without arguments, it suggests the likely intention.
Status explained(const Invocation& invocation, const Status& status);

Result<launch::RunOptions> read_run_options(const Invocation& invocation);

}  // namespace warplens::cli
