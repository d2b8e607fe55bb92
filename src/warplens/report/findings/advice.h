// Advice in the terms of the language that a kernel is written in.
#pragma once
#include <vector>

#include "warplens/output/finding.h"

namespace warplens::report {

/// Replaces advice for CUDA C++ by advice for Triton. Findings without such advice keep theirs.
void advise_in_triton(std::vector<Finding>* findings);

}  // namespace warplens::report
