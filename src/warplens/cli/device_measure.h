// warplens device measure: the ceilings of the GPU here.
#pragma once
#include "warplens/cli/verb.h"

namespace warplens::cli {

/// Measures, stores for later rooflines, and prints.
Result<int> device_measure(const Invocation& invocation);

}  // namespace warplens::cli
