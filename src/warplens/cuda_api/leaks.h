// Device memory that a program never frees.
#pragma once
#include <optional>

#include "warplens/cuda_api/runtime.h"

namespace warplens::cuda_api {

/// At the program's end, or when `device` is reset (for that device): a defect for each place that allocates. Memory
/// that Python's objects hold when Python ends is noted, but is not a defect: Python does not collect them then.
void report_leaks(Runtime& runtime, std::optional<int> device = {});

}  // namespace warplens::cuda_api
