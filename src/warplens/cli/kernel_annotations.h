// The defects and findings of kernels, as annotations beside the source.
#pragma once
#include <vector>

#include "warplens/explain/annotation.h"
#include "warplens/launch/run.h"

namespace warplens::cli {

/// Findings of the counters, reports of --check, faults, and outputs that differ from their expected values.
std::vector<explain::Annotation> annotations(const launch::RunResult& result);
std::vector<explain::Annotation> annotations(const std::vector<simt::Report>& reports);

}  // namespace warplens::cli
