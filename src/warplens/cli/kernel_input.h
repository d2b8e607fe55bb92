// What `warplens kernel FILE` is told to run, and how.
#pragma once
#include "warplens/cli/verb.h"
#include "warplens/launch/description.h"
#include "warplens/launch/run.h"

namespace warplens::cli {

/// Of a launch file, a suite's step, or a source with the flags of a launch.
Result<launch::Description> read_description(const Invocation& invocation);

/// An error in the words of the flags that were given; of a program without arguments, what may have been meant.
Status explained(const Invocation& invocation, const Status& status);

Result<launch::RunOptions> read_run_options(const Invocation& invocation);

}  // namespace warplens::cli
