// What `warplens kernel` does with counters beyond its main output.
#pragma once
#include <string>
#include <vector>

#include "warplens/cli/verb.h"
#include "warplens/launch/run.h"

namespace warplens::cli {

/// The values of --save that name a buffer; the others keep counters.
std::vector<std::string> buffers_to_save(const Invocation& invocation);

/// --metrics, --lines, --roofline, --roofline-svg, --save FILE, --baseline. True when --fail-on's threshold was crossed.
Result<bool> counters_afterwards(const Invocation& invocation, const launch::RunResult& result);

}  // namespace warplens::cli
