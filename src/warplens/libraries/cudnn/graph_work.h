// A graph's name and time in reports.
#pragma once
#include <string>

#include "warplens/libraries/cudnn/graph_run.h"
#include "warplens/libraries/time/product_time.h"

namespace warplens::libraries {

/// "attention bf16 2x4x96x160x64 causal"
std::string name_of(const Graph& graph, bool tf32);
LibraryTime time_of(const Graph& graph, bool tf32);

}  // namespace warplens::libraries
