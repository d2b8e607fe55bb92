// Device memory that a program never gives back.
#pragma once
#include <optional>

#include "warplens/cuda_api/runtime.h"

namespace warplens::cuda_api {

/// At the program's end, or when `device` is reset, of that one: a defect for each place that allocates. What Python's
/// objects hold when Python ends is noted, and no defect: nothing collects them then.
void report_leaks(Runtime& runtime, std::optional<int> device = {});

}  // namespace warplens::cuda_api
